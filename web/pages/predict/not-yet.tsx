import type { NoModel } from '../../desk/opened-model.ts';
import { Notice, sentence } from '../../ui/notice.tsx';

/** Why a study has no model to predict with. */
export function NotYet({
  none,
  place,
}: {
  readonly none: NoModel;
  /** Where who runs the study can look, or go on. */
  readonly place: string | undefined;
}) {
  const { state, problem } = none;
  return (
    <Notice
      kind={state === 'closed' ? 'warn' : 'info'}
      title={state === 'closed' ? 'The study closed without a model.' : 'There is no model yet.'}
    >
      {problem !== undefined && <p>{sentence(problem)}</p>}
      <p>{waitingFor(none)}</p>
      {place !== undefined && (
        <p>
          <a href={place}>See the study</a>
        </p>
      )}
    </Notice>
  );
}

function waitingFor({ state, contributed, sites, quorum }: NoModel): string {
  if (state === 'draft') return 'It is a draft: no site can contribute before it is opened.';
  if (state === 'closed') {
    return `${contributed} of ${sites} sites contributed; a model needs at least ${quorum}.`;
  }
  return `The study waits for its sites: ${contributed} of ${sites} have contributed. As soon as it is resolved, the model can be used here.`;
}
