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
  const [hundred] = meter.fedAvg;
  const others = (hundred.up + hundred.down) * contributed;
  const whole = here.up + here.down;
  return (
    <div class="stack">
      <Meter
        title="Bytes of this study and of FedAvg"
        parts={[
          {
            label: own === undefined ? 'This study, all sites' : 'This study, your site',
            bytes: whole,
            note: `${byteText(here.up)} up, ${byteText(here.down)} down, headers included`,
          },
          {
            label: `FedAvg, ${hundred.rounds} rounds`,
            bytes: others,
            note: `${byteText(others / 2)} up and as much down, bare numbers`,
          },
        ]}
      />
      <p>
        Measured over the wire, with headers, repetitions and every look at these pages with{' '}
        {own === undefined ? 'a site’s link' : 'your link'}. FedAvg would send{' '}
        {countText(meter.parameters)} {meter.parameters === 1 ? 'number' : 'numbers'} up and down in
        each round
        {contributed > 1 ? ` for each of ${contributed} sites` : ''}; its headers are not counted.
        {meter.crossover === undefined
          ? ''
          : ` From ${countText(meter.crossover)} ${meter.crossover === 1 ? 'round' : 'rounds'} on it costs more than the dearest site here, and every site would have to be there for each of them.`}
      </p>
    </div>
  );
}
