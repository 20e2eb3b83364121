import { disagreementText } from '../../../src/model/disagreement.ts';
import type { SiteFlag } from '../../../src/model/site-flag.ts';
import { isSite, type StudyLink } from '../../tab/page-address.ts';
import { Notice, sentence } from '../../ui/notice.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { call } from '../../worker/call.ts';
import type { ShownResult } from '../../worker/result-overview.ts';
import { placeOf } from './section-props.ts';

/** Suspicious contributions; shown to the analyst only. They still count in the result. */
export function Doubts({ link, shown }: { readonly link: StudyLink; readonly shown: ShownResult }) {
  const { value: found, failure } = useAnswer(
    async () => ({ doubts: await call('findDoubts', [link, ...placeOf(shown)]) }),
    [shown.digest],
  );
  const value = found?.doubts?.flags;
  const disagreement = found?.doubts?.disagreement;
  const asked = found !== undefined || failure !== undefined;
  if (isSite(link) || shown.questions === 'none') return null;
  return (
    <>
      {disagreement !== undefined && (
        <Notice kind="warn" title="The sites disagree.">
          <p>{disagreementText(disagreement)}</p>
        </Notice>
      )}
      <Flags value={value} asked={asked} disagrees={disagreement !== undefined} />
    </>
  );
}

function Flags({
  value,
  asked,
  disagrees,
}: {
  readonly value: readonly SiteFlag[] | undefined;
  readonly asked: boolean;
  readonly disagrees: boolean;
}) {
  if (value === undefined)
    return (
      <p class="small soft">
        {asked
          ? 'The contributions were not checked against each other.'
          : 'Checking the contributions against each other…'}
      </p>
    );
  if (value.length === 0) {
    return (
      <p class="small soft">
        {disagrees
          ? 'No mistake in a column was found that could explain it. Compare the sites below.'
          : 'No contribution looks wrong compared with the others.'}
      </p>
    );
  }
  return (
    <Notice
      kind="warn"
      title={
        value.length === 1
          ? 'One contribution looks wrong.'
          : `${value.length} things look wrong in the contributions.`
      }
    >
      <p>All contributions still count. Please ask the site. Only you can see this.</p>
      <ul class="doubts">
        {value.map((flag) => (
          <Doubt key={`${flag.site}${flag.kind}${flag.column}`} flag={flag} />
        ))}
      </ul>
    </Notice>
  );
}

function Doubt({ flag: { site, column, evidence, advice } }: { readonly flag: SiteFlag }) {
  return (
    <li>
      <strong>
        {site}
        {column === undefined ? '' : `, ${column}`}
      </strong>{' '}
      {sentence(evidence)} <span class="soft">{sentence(advice)}</span>
    </li>
  );
}
