import { useEffect, useRef } from 'preact/hooks';
import type { SiteStatus, StudyView } from '../../../src/protocol/messages.ts';
import { expectedSites, listsSites, progressOf } from '../../../src/protocol/progress.ts';
import { devicesText } from '../../../src/site/devices-text.ts';
import { progressText } from '../../../src/site/progress-text.ts';
import { hasTitle, studyTitle } from '../../../src/study/study-title.ts';
import { addressOf } from '../../tab/own-address.ts';
import { isSite, type StudyLink } from '../../tab/page-address.ts';
import { announce } from '../../ui/announce.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import { timeText } from '../../ui/text.ts';

const states: Readonly<Record<SiteStatus['state'], readonly [string, 'good' | 'plain' | 'warn']>> =
  {
    invited: ['invited', 'plain'],
    ready: ['ready to send', 'plain'],
    contributed: ['has contributed', 'good'],
    withdrawn: ['withdrawn', 'warn'],
    revoked: ['no longer invited', 'warn'],
  };

/** A study without a result yet: which sites are missing, and why there is none. */
export function WaitingNotice({
  view,
  link,
}: {
  readonly view: StudyView;
  readonly link: StudyLink;
}) {
  const { devices, sites } = view;
  const isListed = listsSites(view);
  const progress = progressOf(view);
  const { contributed: sent, expected, who } = progress;
  const said = progressText(progress);
  const awaited = expectedSites(sites)
    .filter(({ state }) => state !== 'contributed')
    .map(({ name }) => name);
  const announced = useRef(sent);
  useEffect(() => {
    if (announced.current !== sent) announce(said);
    announced.current = sent;
  }, [sent]);
  return (
    <>
      <div class="heading">
        <p class="row small">
          <Tag>No result yet</Tag>
        </p>
        <h1>{view.study.name ?? studyTitle(view.study)}</h1>
        {view.study.name !== undefined && hasTitle(view.study) && (
          <p class="formula">{studyTitle(view.study)}</p>
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
      <Card title={said} about={<Outlook view={view} awaited={awaited} />}>
        {devices !== undefined && <p>{sentence(devicesText(devices))}</p>}
        <progress
          max={expected || 1}
          value={sent}
          aria-label={`${who === 'sites' ? 'Sites' : 'Devices'} that have contributed`}
        />
        {isListed && (
          <DataTable
            label="Sites"
            columns={[{ name: 'Site' }, { name: 'State' }]}
            rows={sites.map(({ name, state }) => {
              const [text, kind] = states[state];
              return [{ value: name }, { value: text, shown: <Tag kind={kind}>{text}</Tag> }];
            })}
            tall={sites.length > 12}
          />
        )}
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
  return (
    <>
      {awaitedText(view, awaited)}
      {whenText(view)}
    </>
  );
}

function awaitedText(view: StudyView, awaited: readonly string[]): string {
  if (awaited.length > 0) return `Not yet contributed: ${listed(awaited)}.`;
  return listsSites(view) ? 'No site is missing.' : '';
}

function whenText({ state, problem, deadline, quorum, devices }: StudyView): string {
  if (state === 'draft') return ' The study is a draft: sites cannot contribute before it is open.';
  if (problem !== undefined) return '';
  if (devices?.open === true) {
    return deadline === undefined
      ? ` The result appears here automatically when the study is closed with at least ${quorum}.`
      : ` The result appears here automatically at ${timeText(deadline)} with at least ${quorum}.`;
  }
  const everyone = devices === undefined ? 'site' : 'device';
  const all = ` The result appears here automatically when every ${everyone} has contributed`;
  if (deadline === undefined) return `${all}.`;
  return `${all}, or at ${timeText(deadline)} with at least ${quorum}.`;
}

const MOST_NAMES = 6;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}
