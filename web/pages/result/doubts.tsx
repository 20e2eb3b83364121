import type { SiteFlag } from '../../../src/model/report.ts';
import { isSite, type StudyLink } from '../../app/here.ts';
import { ask } from '../../desk/call.ts';
import type { ShownResult } from '../../desk/result-overview.ts';
import { Notice, sentence } from '../../ui/notice.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { placeOf } from './part.ts';

/** What looks wrong about a site, for who runs the study; nothing was left out for it. */
export function Doubts({ link, shown }: { readonly link: StudyLink; readonly shown: ShownResult }) {
  const { value: found, trouble } = useAnswer(
    async () => ({ flags: await ask('findDoubts', [link, ...placeOf(shown)]) }),
    [shown.digest],
  );
  const value = found?.flags;
  const asked = found !== undefined || trouble !== undefined;
  if (isSite(link) || shown.questions === 'none') return null;
  if (value === undefined)
    return (
      <p class="small soft">
        {asked
          ? 'Not looked for doubts about contributions.'
          : 'Looking for doubts about contributions…'}
      </p>
    );
  if (value.length === 0) {
    return <p class="small soft">No contribution looks wrong against the others.</p>;
  }
  return (
    <Notice
      kind="warn"
      title={
        value.length === 1
          ? 'Something looks wrong about a contribution.'
          : `${value.length} things look wrong about contributions.`
      }
    >
      <p>Nothing was left out for it: asking the site is for people. Only you can see this.</p>
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
