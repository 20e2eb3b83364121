import { expectedSites } from '../../../src/protocol/progress.ts';
import { hasTitle, studyTitle } from '../../../src/study/study-title.ts';
import { addressOf } from '../../tab/own-address.ts';
import type { StudyLink } from '../../tab/page-address.ts';
import { Notice, sentence } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import { timeText } from '../../ui/text.ts';
import type { WatchedStudy } from '../../worker/watched-study.ts';
import { StateTag } from './state-tag.tsx';
import type { LiveStudy } from './use-study.ts';

/** Name and state of the study, and the link to its result. */
export function StudyHeadline({
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
        {hasTitle(study) && <code class="formula">{studyTitle(study)}</code>}
        <p class="row">
          {view.round !== undefined && <Tag kind="accent">{`Round ${view.round}`}</Tag>}
          <StateTag state={state} />
          <span>{stateText(view)}</span>
          <Connection connection={connection} />
        </p>
      </div>
      {resolution !== undefined && (
        <Notice
          kind="good"
          title={
            state === 'resolved'
              ? 'The result is ready'
              : `Resolution ${resolution.number} is ready`
          }
        >
          <p class="row">
            <a class="button primary" href={addressOf('result', link)}>
              See the result
            </a>
            <span class="small">
              Resolution {resolution.number}
              {state === 'resolved'
                ? ''
                : '; the study is collecting again or waits for a new resolution'}
            </span>
          </p>
        </Notice>
      )}
      {problem !== undefined && (
        <Notice
          kind="warn"
          title={view.retries === true ? 'There is no result yet.' : 'There is no new result.'}
        >
          <p>
            {sentence(problem)}{' '}
            {view.retries === true
              ? 'The coordinator tries again every few seconds; you need not do anything.'
              : view.opening === undefined
                ? 'Reopen the study, or resolve it again with contributions that have arrived since.'
                : 'The sites can open their numbers, so that the wrong ones are found.'}
          </p>
        </Notice>
      )}
    </>
  );
}

function stateText({ state, deadline, quorum, sites, devices }: WatchedStudy): string {
  if (state === 'draft') return 'Sites cannot contribute before you open it.';
  if (state === 'closed' || state === 'resolved') return 'Contributions that arrive now are late.';
  if (devices?.open === true) {
    return deadline === undefined
      ? `Collects while devices can enrol, or until you close it with at least ${quorum}.`
      : `Collects until ${timeText(deadline)}; at least ${quorum} must contribute.`;
  }
  const expected =
    expectedSites(sites).length +
    (devices === undefined ? 0 : devices.enrolled - devices.withdrawn);
  const all = `Resolves when all ${expected} ${devices === undefined ? 'sites' : 'devices'} have contributed`;
  if (deadline === undefined) return `${all}, or when you close it with at least ${quorum}.`;
  return `${all}, or on ${timeText(deadline)} with at least ${quorum}.`;
}

function Connection({ connection }: { readonly connection: LiveStudy['connection'] }) {
  const texts = {
    starting: 'Connecting…',
    live: 'Live',
    lost: 'Reconnecting… this page may be out of date',
  };
  return (
    <span class={`connection ${connection}`} role="status">
      {texts[connection]}
    </span>
  );
}
