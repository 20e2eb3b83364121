import { progressText } from '../../../src/site/progress-text.ts';
import { Notice, sentence } from '../../ui/notice.tsx';
import type { NoModel } from '../../worker/opened-model.ts';

/** Why a study has no model to predict with. */
export function NotYet({
  none,
  place,
}: {
  readonly none: NoModel;
  /** Address of the study's page, for the analyst. */
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

function waitingFor({ state, progress, quorum }: NoModel): string {
  if (state === 'draft') return 'It is a draft: sites cannot contribute before it is open.';
  if (state === 'closed') {
    return `${progressText(progress)}; a model needs at least ${quorum}.`;
  }
  return `${progressText(progress)}. When the study has resolved, you can use the model here.`;
}
