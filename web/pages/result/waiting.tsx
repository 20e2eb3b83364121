import { useEffect, useRef } from 'preact/hooks';
import type { SiteStatus, StudyView } from '../../../src/protocol/messages.ts';
import { isTableStudy } from '../../../src/study/study.ts';
import { studyTitle } from '../../../src/study/study-title.ts';
import { addressOf, isSite, type StudyLink } from '../../app/here.ts';
import { announce } from '../../ui/announce.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import { timeText } from '../../ui/words.ts';

const states: Readonly<Record<SiteStatus['state'], readonly [string, 'good' | 'plain' | 'warn']>> =
  {
    invited: ['awaited', 'plain'],
    ready: ['ready to send', 'plain'],
    contributed: ['has sent', 'good'],
    withdrawn: ['withdrawn', 'warn'],
    revoked: ['not invited any more', 'warn'],
  };

/** A study without a result yet: who is awaited, and why there is none. */
export function Waiting({ view, link }: { readonly view: StudyView; readonly link: StudyLink }) {
  const taking = view.sites.filter(({ state }) => state !== 'revoked' && state !== 'withdrawn');
  const sent = taking.filter(({ state }) => state === 'contributed').length;
  const awaited = taking.filter(({ state }) => state !== 'contributed').map(({ name }) => name);
  const told = useRef(sent);
  useEffect(() => {
    if (told.current !== sent) announce(`${sent} of ${taking.length} sites have sent`);
    told.current = sent;
  }, [sent]);
  return (
    <>
      <div class="heading">
        <p class="row small">
          <Tag>No result yet</Tag>
        </p>
        <h1>{view.study.name ?? studyTitle(view.study)}</h1>
        {view.study.name !== undefined && isTableStudy(view.study) && (
          <p class="formula">{view.study.formula}</p>
        )}
      </div>
      {view.problem !== undefined && (
        <Notice kind="bad" title="The study closed without a result.">
          <p>{sentence(view.problem)}</p>
          {!isSite(link) && (
            <p>
              <a href={addressOf('study', link)}>Open it again on the page of the study.</a>
            </p>
          )}
        </Notice>
      )}
      <Card
        title={`${sent} of ${taking.length} ${taking.length === 1 ? 'site has' : 'sites have'} sent`}
        about={<Outlook view={view} awaited={awaited} />}
      >
        <progress max={taking.length || 1} value={sent} aria-label="Sites that have sent" />
        <DataTable
          label="Sites"
          columns={[{ name: 'Site' }, { name: 'State' }]}
          rows={view.sites.map(({ name, state }) => {
            const [text, kind] = states[state];
            return [{ value: name }, { value: text, shown: <Tag kind={kind}>{text}</Tag> }];
          })}
          tall={view.sites.length > 12}
        />
      </Card>
    </>
  );
}

function Outlook({
  view,
  awaited,
}: {
  readonly view: StudyView;
  readonly awaited: readonly string[];
}) {
  const who = awaited.length === 0 ? 'Nobody is awaited any more.' : `Awaited: ${listed(awaited)}.`;
  const when =
    view.state === 'draft'
      ? ' The study is a draft: nobody can send before it is opened.'
      : view.problem !== undefined
        ? ''
        : view.deadline === undefined
          ? ' The result appears here by itself once every site has sent.'
          : ` The result appears here by itself once every site has sent, or from ${timeText(view.deadline)} on with ${view.quorum} or more.`;
  return (
    <>
      {who}
      {when}
    </>
  );
}

const MOST_NAMES = 6;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}
