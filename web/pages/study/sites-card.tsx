import { useEffect, useRef, useState } from 'preact/hooks';
import type { SiteStatus } from '../../../src/protocol/messages.ts';
import { listsSites, progressOf } from '../../../src/protocol/progress.ts';
import { devicesText } from '../../../src/site/devices-text.ts';
import { progressText } from '../../../src/site/progress-text.ts';
import type { StudyLink } from '../../tab/page-address.ts';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { sentence } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { ScrollArea } from '../../ui/scroll-area.tsx';
import { Tag } from '../../ui/tag.tsx';
import { bytesText, countText } from '../../ui/text.ts';
import type { WatchedStudy } from '../../worker/watched-study.ts';
import { AddSite } from './add-site.tsx';
import { SiteActions } from './site-actions.tsx';

const MANY = 15;
const SHOWN = 200;

/** The sites, their contributions, and the bytes sent. */
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
  const { sites, devices, isPrivate, parties } = view;
  const isHidden = isPrivate || parties !== undefined;
  const isListed = listsSites(view);
  const progress = progressOf(view);
  const { contributed, expected } = progress;
  const found = sites.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <Card
      title="Sites"
      about={
        isHidden
          ? `${isPrivate ? 'The study is private' : 'Nobody sees the numbers of one site'}: the rows and bytes of each site are not shown.`
          : undefined
      }
    >
      {devices !== undefined && <p>{`${sentence(devicesText(devices))}`}</p>}
      <ProgressBar
        label={progressText(progress)}
        share={expected === 0 ? 0 : contributed / expected}
        detail={`${view.quorum} needed`}
      />
      {sites.length > MANY && <TextField label="Find a site" value={wanted} onInput={setWanted} />}
      {isListed && (
        <ScrollArea kind="scroll tall" label="Sites">
          <table class="sites">
            <thead>
              <tr>
                <th scope="col">Site</th>
                <th scope="col">State</th>
                {!isHidden && (
                  <th scope="col" class="number">
                    Rows
                  </th>
                )}
                {!isHidden && (
                  <th scope="col" class="number">
                    Left out
                  </th>
                )}
                {!isHidden && (
                  <th scope="col" class="number">
                    Bytes up
                  </th>
                )}
                {!isHidden && (
                  <th scope="col" class="number">
                    Bytes down
                  </th>
                )}
                <th scope="col">Invitation</th>
              </tr>
            </thead>
            <tbody>
              {found.slice(0, SHOWN).map((site) => (
                <SiteRow
                  key={site.name}
                  site={site}
                  isFresh={fresh.has(site.name)}
                  isHidden={isHidden}
                  link={link}
                />
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
      {found.length > SHOWN && (
        <p class="small soft">{countText(found.length - SHOWN)} more: find a site by its name.</p>
      )}
      {isListed && <Traffic view={view} />}
      {(parties?.sites.length ?? 0) === 0 && (
        <AddSite link={link} taken={sites.map(({ name }) => name)} />
      )}
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
  isHidden,
  link,
}: {
  readonly site: SiteStatus;
  readonly isFresh: boolean;
  readonly isHidden: boolean;
  readonly link: StudyLink;
}) {
  const { name, state, n, dropped, late, traffic } = site;
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    // An animation instead of a class: the row lights up at every contribution and is not drawn anew.
    if (isFresh && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
      row.current?.animate([{ background: 'var(--accent-ground)' }, {}], 4000);
    }
  }, [isFresh, state, n, late]);
  return (
    <tr ref={row} class={isFresh ? 'fresh' : undefined}>
      <th scope="row">{name}</th>
      <td>
        <span class="row">
          <Tag kind={kinds[state]}>{state}</Tag>
          {late > 0 && <Tag kind="warn">{`${late} late`}</Tag>}
        </span>
      </td>
      {!isHidden && <Figure name="Rows">{n === undefined ? '' : countText(n)}</Figure>}
      {!isHidden && (
        <Figure name="Left out">{dropped === undefined ? '' : countText(dropped)}</Figure>
      )}
      {traffic !== undefined && <Figure name="Up">{bytesText(traffic.up)}</Figure>}
      {traffic !== undefined && <Figure name="Down">{bytesText(traffic.down)}</Figure>}
      <td>
        <SiteActions site={site} link={link} />
      </td>
    </tr>
  );
}

/** A number of a site. On narrow screens its name is shown beside it. */
function Figure({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <td class="number" data-name={name}>
      {children}
    </td>
  );
}

/** The bytes of all sites, beside those of FedAvg. */
function Traffic({ view }: { readonly view: WatchedStudy }) {
  const { total, fedAvg, crossover } = view.communication;
  // FedAvg has no way to fit columns of different parties.
  if (view.parties?.exchange !== undefined) return null;
  const from =
    crossover === undefined
      ? ''
      : `; from ${countText(crossover)} rounds on it sends more than any site did here`;
  const others = fedAvg.map(
    ({ rounds, up }) =>
      ` FedAvg in ${rounds} rounds would send ${bytesText(up)} up and as much down for each site, without headers${from}.`,
  );
  const measured =
    total === undefined
      ? ''
      : `In total ${bytesText(total.up)} up and ${bytesText(total.down)} down, headers included.`;
  return <p class="small soft">{`${measured}${others.join('')}`.trim()}</p>;
}
