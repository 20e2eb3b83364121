import { isTableStudy } from '../../../src/study/study.ts';
import { addressOf, type StudyLink } from '../../app/here.ts';
import type { WatchedStudy } from '../../desk/watched-study.ts';
import { Notice, sentence } from '../../ui/notice.tsx';
import { timeText } from '../../ui/words.ts';
import { StateTag } from './state-tag.tsx';
import type { LiveStudy } from './use-study.ts';

/** What study this is, where it stands, and where its result is. */
export function Headline({
  view,
  connection,
  link,
}: {
  readonly view: WatchedStudy;
  readonly connection: LiveStudy['connection'];
  readonly link: StudyLink;
}) {
  const { study, state, problem, resolution } = view;
  return (
    <>
      <div class="heading">
        <h1>{study.name ?? `Study ${view.id}`}</h1>
        {isTableStudy(study) && <code class="formula">{study.formula}</code>}
        <p class="row">
          <StateTag state={state} />
          <span>{standingWords(view)}</span>
          <Connection connection={connection} />
        </p>
      </div>
      {resolution !== undefined && (
        <Notice
          kind="good"
          title={
            state === 'resolved' ? 'The result is here' : `Resolution ${resolution.number} is here`
          }
        >
          <p class="row">
            <a class="button primary" href={addressOf('result', link)}>
              See the result
            </a>
            <span class="small">
              Resolution {resolution.number}
              {state === 'resolved' ? '' : '; the study collects again or waits for another'}
            </span>
          </p>
        </Notice>
      )}
      {problem !== undefined && (
        <Notice kind="warn" title="There is no new result, because">
          <p>{sentence(problem)} Reopen the study, or resolve it again with what has come since.</p>
        </Notice>
      )}
    </>
  );
}

function standingWords({ state, deadline, quorum, sites }: WatchedStudy): string {
  const expected = sites.filter(({ state }) => state !== 'withdrawn' && state !== 'revoked').length;
  if (state === 'draft') return 'Nobody can contribute before you open it.';
  if (state === 'closed') return 'Closed; what comes now is kept apart as late.';
  if (state === 'resolved') return 'What comes now is kept apart as late.';
  const all = `Resolves when all ${expected} sites are in`;
  if (deadline === undefined) return `${all}, or when you close it with at least ${quorum}.`;
  return `${all}, or on ${timeText(deadline)} with at least ${quorum}.`;
}

function Connection({ connection }: { readonly connection: LiveStudy['connection'] }) {
  const words = {
    starting: 'Connecting…',
    live: 'Live',
    lost: 'Reconnecting… what stands here may be old',
  };
  return (
    <span class={`connection ${connection}`} role="status">
      {words[connection]}
    </span>
  );
}
