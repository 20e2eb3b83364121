import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { DataDescription } from '../../../src/analysis/description.ts';
import type { ForestRow } from '../../charts/forest-layout.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { call } from '../../worker/call.ts';
import type { ShownResponse } from '../../worker/result-overview.ts';
import { effectRows, type Units, unitsFor } from './effect-rows.ts';
import { Section } from './section.tsx';
import { placeOf, type SectionProps } from './section-props.ts';
import { columnText } from './term-name.tsx';
import type { WithoutTotal } from './use-total.ts';

interface ForestProps {
  readonly rows: readonly ForestRow[];
  readonly reference: number;
  readonly axis: string;
  readonly title: string;
}

const MOST_ROWS = 24;

/** Every slope with its interval. */
export function Effects(props: SectionProps) {
  const { shown, total, response } = props;
  const [wanted, setWanted] = useState<'sd' | 'own'>('sd');
  const [all, setAll] = useState(false);
  const { family } = shown.resolution.report;
  // A mapped total has the SDs of the mapped columns only, not of the formula's columns.
  const scalable = shown.questions === 'sums' && !shown.mapped;
  const description = useDescription(props, scalable && total.kind === 'here');
  const chosen: ShownResponse = shown.responses[response];
  const units: Units =
    wanted === 'sd' && description !== undefined && description !== 'none'
      ? unitsFor(description, chosen.response)
      : 'own';
  // The chart waits for the total: without it, the rows would change their order while one reads.
  const pending =
    scalable &&
    wanted === 'sd' &&
    (total.kind === 'fetching' || (total.kind === 'here' && description === undefined));
  const rows = effectRows(chosen.terms, units, shown.names);
  const counted = !pending && units === 'own' ? 'own' : 'sd';
  const drawn = all ? rows : rows.slice(0, MOST_ROWS);
  const ForestChart = useForest();
  const withIntervals = rows.some(({ low }) => low !== undefined);
  return (
    <Section
      id="effects"
      title={
        chosen.response === ''
          ? 'Effects'
          : `Effects on ${columnText(shown.names, chosen.response)}`
      }
      about={
        <About
          counted={counted}
          family={family}
          total={total}
          biased={shown.biased}
          withIntervals={withIntervals}
        />
      }
      aside={
        scalable && (total.kind === 'here' || total.kind === 'fetching') ? (
          <Choice
            label="Units of the effects"
            value={wanted}
            options={[
              ['sd', 'Per SD'],
              ['own', 'Own units'],
            ]}
            onChange={setWanted}
          />
        ) : undefined
      }
    >
      {rows.length === 0 && (
        <p class="soft">The model has no slopes: there is only an intercept.</p>
      )}
      {rows.length > 0 && (ForestChart === undefined || pending) && (
        <div class="forest-place" style={{ '--rows': drawn.length }} />
      )}
      {rows.length > 0 && ForestChart !== undefined && !pending && (
        <ForestChart
          rows={drawn}
          reference={0}
          axis={units === 'own' ? axisOf(family) : 'SDs of the response for one SD of the column'}
          title={units === 'own' ? 'Effects in their own units' : 'Effects per standard deviation'}
        />
      )}
      {rows.length > drawn.length && (
        <p>
          <Button kind="quiet" onClick={() => setAll(true)}>
            {`Show all ${rows.length}, not only the ${counted === 'sd' ? `${drawn.length} largest` : `first ${drawn.length}`}`}
          </Button>
        </p>
      )}
    </Section>
  );
}

const perUnit = {
  site: ' Effects per SD need the SDs of all columns, which only the analyst can compute.',
  few: ' Effects per SD need the exact total, which this study gives to nobody.',
  private: ' Effects per SD need exact sums, which a private study shows to nobody.',
  estimates: ' Effects per SD need sums over rows, but the sites sent coefficients.',
  parts: '',
} as const satisfies Readonly<Record<WithoutTotal, string>>;

function About({
  counted,
  family,
  total,
  biased,
  withIntervals,
}: {
  readonly counted: 'sd' | 'own';
  readonly family: 'binomial' | 'poisson' | undefined;
  readonly total: SectionProps['total'];
  readonly biased: boolean;
  readonly withIntervals: boolean;
}) {
  const only = family !== undefined || total.kind !== 'absent' ? '' : perUnit[total.why];
  return (
    <>
      {unitsText(counted, family)}
      {intervalsText(withIntervals, biased)}
      {only}
    </>
  );
}

function unitsText(counted: 'sd' | 'own', family: 'binomial' | 'poisson' | undefined): string {
  if (family !== undefined) return `Each slope on the scale of the model: ${axisOf(family)}.`;
  return counted === 'own'
    ? 'Each slope in its own units: the change of the response for one more unit of the column, all others held fixed.'
    : 'The change of the response in SDs for one SD of the column, all others held fixed. Effects of different units can be compared.';
}

function intervalsText(withIntervals: boolean, biased: boolean): string {
  if (withIntervals) return ' Lines are 95 % intervals.';
  return biased
    ? ' There are no intervals: a penalty or a projection biases the slopes, so their errors give no valid interval.'
    : '';
}

function axisOf(family: 'binomial' | 'poisson' | undefined): string {
  if (family === undefined) return 'units of the response for one unit of the column';
  return family === 'binomial' ? 'log odds for one unit' : 'log rate for one unit';
}

/** Means and SDs of the columns, after the total is loaded; undefined until they are computed. */
function useDescription(
  { shown }: SectionProps,
  possible: boolean,
): DataDescription | 'none' | undefined {
  const { value, failure } = useAnswer(async () => {
    if (!possible) return undefined;
    const [answer] = await call('loadTotalAnswers', [
      ...placeOf(shown),
      [{ about: 'description' }],
    ]);
    return answer === undefined || 'problem' in answer ? 'none' : (answer as DataDescription);
  }, [shown.digest, possible]);
  if (!possible) return undefined;
  return failure === undefined ? value : 'none';
}

function useForest(): ComponentType<ForestProps> | undefined {
  const [loaded, setLoaded] = useState<{ ForestChart: ComponentType<ForestProps> }>();
  useEffect(() => {
    import('../../charts/forest.tsx').then(setLoaded, () => {}); // the table has the same numbers
  }, []);
  return loaded?.ForestChart;
}
