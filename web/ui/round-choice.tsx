import type { StudyLink } from '../tab/page-address.ts';
import { SelectField } from './field.tsx';
import { FailureNotice } from './notice.tsx';
import type { ShownRound } from './use-rounds.ts';

/** Which round of a study is shown; nothing where there is one. */
export function RoundChoice({ shown }: { readonly shown: ShownRound }) {
  const { rounds, link, choose, failure } = shown;
  return (
    <>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {rounds.length > 1 && (
        <div class="round-choice">
          <SelectField
            label="Round"
            value={link.study}
            options={rounds.map((round): [StudyLink['study'], string] => [
              round.link.study,
              `${round.number}, ${round.state}`,
            ])}
            onChange={choose}
          />
        </div>
      )}
    </>
  );
}
