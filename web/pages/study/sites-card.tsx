import { useState } from 'preact/hooks';
import type { SiteStatus } from '../../../src/protocol/messages.ts';
import type { StudyLink } from '../../app/here.ts';
import type { WatchedStudy } from '../../desk/watched-study.ts';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Tag } from '../../ui/tag.tsx';
import { byteText, countText } from '../../ui/words.ts';
import { AddSite } from './add-site.tsx';
import { SiteActions } from './site-actions.tsx';

const MANY = 15;
const SHOWN = 200;

/** Who has contributed what, and what it took on the wire. */
export function SitesCard({
  view,
  fresh,
  link,
}: {
  readonly view: WatchedStudy;
  readonly fresh: ReadonlySet<string>;
  readonly link: StudyLink;
}) {
  const [wanted, setWanted] = useState('');
  const { sites, study } = view;
  const expected = sites.filter(({ state }) => state !== 'withdrawn' && state !== 'revoked').length;
  const done = sites.filter(({ state }) => state === 'contributed').length;
  const found = sites.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  const isPrivate = Boolean(study.privacy);
  return (
    <Card
      title="Sites"
      about={isPrivate ? 'The study is private: how many rows a site has is not told.' : undefined}
    >
      <ProgressBar
        label={`${done} of ${expected} sites have contributed`}
        share={expected === 0 ? 0 : done / expected}
        detail={`${view.quorum} must`}
      />
      {sites.length > MANY && <TextField label="Find a site" value={wanted} onInput={setWanted} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keys */}
      <section class="scroll tall" tabIndex={0} aria-label="Sites">
        <table class="sites">
          <thead>
            <tr>
              <th scope="col">Site</th>
              <th scope="col">State</th>
              {!isPrivate && (
                <th scope="col" class="number">
                  Rows
                </th>
              )}
              {!isPrivate && (
                <th scope="col" class="number">
                  Left out
                </th>
              )}
              <th scope="col" class="number">
                Bytes up
              </th>
              <th scope="col" class="number">
                Bytes down
              </th>
              <th scope="col">Invitation</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, SHOWN).map((site) => (
              <SiteRow
                key={site.name}
                site={site}
                isFresh={fresh.has(site.name)}
                isPrivate={isPrivate}
                link={link}
              />
            ))}
          </tbody>
        </table>
      </section>
      {found.length > SHOWN && (
        <p class="small soft">{countText(found.length - SHOWN)} more: find a site by its name.</p>
      )}
      <Meter view={view} />
      <AddSite link={link} taken={sites.map(({ name }) => name)} />
    </Card>
  );
}

const kinds = {
  invited: 'plain',
  ready: 'accent',
  contributed: 'good',
  withdrawn: 'warn',
  revoked: 'warn',
} as const;

function SiteRow({
  site,
  isFresh,
  isPrivate,
  link,
}: {
  readonly site: SiteStatus;
  readonly isFresh: boolean;
  readonly isPrivate: boolean;
  readonly link: StudyLink;
}) {
  const { name, state, n, dropped, late, traffic } = site;
  return (
    // Another key at every arrival: the row lights up again.
    <tr key={`${state} ${n} ${late}`} class={isFresh ? 'fresh' : undefined}>
      <th scope="row">{name}</th>
      <td>
        <span class="row">
          <Tag kind={kinds[state]}>{state}</Tag>
          {late > 0 && <Tag kind="warn">{`${late} late`}</Tag>}
        </span>
      </td>
      {!isPrivate && <td class="number">{n === undefined ? '' : countText(n)}</td>}
      {!isPrivate && <td class="number">{dropped === undefined ? '' : countText(dropped)}</td>}
      <td class="number">{byteText(traffic.up)}</td>
      <td class="number">{byteText(traffic.down)}</td>
      <td>
        <SiteActions site={site} link={link} />
      </td>
    </tr>
  );
}

/** The bytes of all sites beside what FedAvg would need at least. */
function Meter({ view }: { readonly view: WatchedStudy }) {
  const { total, fedAvg, crossover } = view.meter;
  const [line] = fedAvg;
  return (
    <p class="small soft">
      In all {byteText(total.up)} up and {byteText(total.down)} down, headers included. FedAvg in{' '}
      {line.rounds} rounds would send {byteText(line.up)} up and as much down for each site, before
      headers
      {crossover === undefined
        ? '.'
        : `; from ${countText(crossover)} rounds on it moves more than any site did here.`}
    </p>
  );
}
