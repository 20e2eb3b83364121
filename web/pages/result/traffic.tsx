import type { Communication } from '../../../src/protocol/communication.ts';
import { isSite } from '../../app/here.ts';
import { Meter } from '../../charts/meter.tsx';
import { byteText, countText } from '../../ui/words.ts';
import type { PartProps } from './part.ts';

/** What the study has cost in bytes, beside learning the same model round by round. */
export function Traffic({ overview, link, shown }: PartProps) {
  const { meter, view } = overview;
  const own = isSite(link) ? meter.sites.find(({ site }) => site === view.you?.site) : undefined;
  const contributed = own === undefined ? shown.resolution.report.sites.length : 1;
  const here = own ?? meter.total;
  const whole = here.up + here.down;
  const others = meter.fedAvg.slice(0, 1).map(({ rounds, up, down }) => ({
    label: `FedAvg, ${rounds} rounds`,
    bytes: (up + down) * contributed,
    note: `${byteText(up * contributed)} up and as much down, bare numbers`,
  }));
  return (
    <div class="stack">
      <Meter
        title={others.length === 0 ? 'Bytes of this study' : 'Bytes of this study and of FedAvg'}
        parts={[
          {
            label: own === undefined ? 'This study, all sites' : 'This study, your site',
            bytes: whole,
            note: `${byteText(here.up)} up, ${byteText(here.down)} down, headers included`,
          },
          ...others,
        ]}
      />
      <p>
        Measured over the wire, with headers, repetitions and every look at these pages with{' '}
        {own === undefined ? 'a site’s link' : 'your link'}.{fedAvgText(meter, contributed)}
      </p>
    </div>
  );
}

/** What FedAvg would send; nothing where the size of its model is not known. */
function fedAvgText({ parameters, crossover }: Communication, contributed: number): string {
  if (parameters === undefined) return '';
  const many = `${countText(parameters)} ${parameters === 1 ? 'number' : 'numbers'}`;
  const each = contributed > 1 ? ` for each of ${contributed} sites` : '';
  const sends = ` FedAvg would send ${many} up and down in each round${each}; its headers are not counted.`;
  if (crossover === undefined) return sends;
  const rounds = crossover === 1 ? 'round' : 'rounds';
  return `${sends} From ${countText(crossover)} ${rounds} on it costs more than the dearest site here, and every site would have to be there for each of them.`;
}
