import type { Communication } from '../../../src/protocol/communication.ts';
import { ByteBars } from '../../charts/byte-bars.tsx';
import { isSite } from '../../tab/page-address.ts';
import { bytesText, countText } from '../../ui/text.ts';
import type { SectionProps } from './section-props.ts';

/** Bytes of the study, beside the bytes of FedAvg for the same model. */
export function TrafficSection({ overview, link, shown }: SectionProps) {
  const { traffic, view } = overview;
  const own = isSite(link) ? traffic.sites.find(({ site }) => site === view.you?.site) : undefined;
  const contributed = own === undefined ? shown.resolution.report.sites.length : 1;
  const here = own ?? traffic.total;
  const others = traffic.fedAvg.slice(0, 1).map(({ rounds, up, down }) => ({
    label: `FedAvg, ${rounds} rounds`,
    bytes: (up + down) * contributed,
    note: `${bytesText(up * contributed)} up and as much down, without headers`,
  }));
  if (here === undefined) {
    return <p>The study is private: how many bytes its sites sent is not shown.</p>;
  }
  return (
    <div class="stack">
      <ByteBars
        title={others.length === 0 ? 'Bytes of this study' : 'Bytes of this study and of FedAvg'}
        parts={[
          {
            label: own === undefined ? 'This study, all sites' : 'This study, your site',
            bytes: here.up + here.down,
            note: `${bytesText(here.up)} up, ${bytesText(here.down)} down, headers included`,
          },
          ...others,
        ]}
      />
      <p>
        Measured on the network, with headers, repeated requests and every visit to these pages with{' '}
        {own === undefined ? 'a site’s link' : 'your link'}.{fedAvgText(traffic, contributed)}
      </p>
    </div>
  );
}

/** What FedAvg would send; empty if the size of its model is unknown. */
function fedAvgText({ parameters, crossover }: Communication, contributed: number): string {
  if (parameters === undefined) return '';
  const many = `${countText(parameters)} ${parameters === 1 ? 'number' : 'numbers'}`;
  const each = contributed > 1 ? ` for each of ${contributed} sites` : '';
  const sends = ` FedAvg would send ${many} up and down in each round${each}; its headers are not counted.`;
  if (crossover === undefined) return sends;
  const rounds = crossover === 1 ? 'round' : 'rounds';
  return `${sends} From ${countText(crossover)} ${rounds} on it sends more than any site did here, and every site would have to take part in every round.`;
}
