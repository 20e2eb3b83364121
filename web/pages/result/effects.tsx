import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Description } from '../../../src/analysis/description.ts';
import type { ForestRow } from '../../charts/forest-layout.ts';
import { ask } from '../../desk/call.ts';
import type { ShownResponse } from '../../desk/result-overview.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { effectRows, type Units, unitsFor } from './effect-rows.ts';
import { type PartProps, placeOf } from './part.ts';
import { Section } from './section.tsx';
import type { WithoutTotal } from './use-total.ts';

interface ForestProps {
  readonly rows: readonly ForestRow[];
  readonly reference: number;
  readonly axis: string;
  readonly title: string;
}

const MOST_ROWS = 24;

/** Every slope with its interval: what goes with the response, and how sure that is. */
export function Effects(props: PartProps) {
  const { shown, total, response } = props;
  const [wish, setWish] = useState<'sd' | 'own'>('sd');
  const [all, setAll] = useState(false);
  const { family } = shown.resolution.report;
  // Of the formula's columns a mapped total has no SDs, only those of the mapped ones.
  const scalable = shown.questions === 'sums' && !shown.mapped;
  const description = useDescription(props, scalable && total.kind === 'here');
  const chosen: ShownResponse = shown.responses[response];
  const units: Units =
    wish === 'sd' && description !== undefined && description !== 'none'
      ? unitsFor(description, chosen.response)
      : 'own';
  // Until the total is here the picture waits: it would turn over under the reader's eyes.
  const pending =
    scalable &&
    wish === 'sd' &&
    (total.kind === 'fetching' || (total.kind === 'here' && description === undefined));
  const rows = effectRows(chosen.terms, units);
  const counted = pending ? 'sd' : units === 'own' ? 'own' : 'sd';
  const drawn = all ? rows : rows.slice(0, MOST_ROWS);
  const Forest = useForest();
  const withIntervals = rows.some(({ low }) => low !== undefined);
  return (
    <Section
      id="effects"
      title={chosen.response === '' ? 'Effects' : `Effects on ${chosen.response}`}
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
            value={wish}
            options={[
              ['sd', 'Per SD'],
              ['own', 'Own units'],
            ]}
            onChange={setWish}
          />
        ) : undefined
      }
    >
      {rows.length === 0 ? (
        <p class="soft">The model has no slopes: there is only an intercept.</p>
      ) : Forest === undefined || pending ? (
        <div class="forest-place" style={{ '--rows': drawn.length }} />
      ) : (
        <Forest
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
  site: ' Per SD needs the SDs of all columns, which only who runs the study can compute.',
  private: ' Per SD would need exact sums, which a private study shows to nobody.',
  estimates: ' Per SD would need sums over rows, and the sites sent coefficients.',
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
  readonly total: PartProps['total'];
  readonly biased: boolean;
  readonly withIntervals: boolean;
}) {
  const what =
    family !== undefined
      ? `Each slope on the scale of the model: ${axisOf(family)}.`
      : counted === 'own'
        ? 'Each slope in its own units: what one more unit of the column goes with, all others held fixed.'
        : 'How many SDs of the response go with one SD of the column, all others held fixed: so effects of different units compare.';
  const sure = withIntervals
    ? ' Lines are 95 % intervals.'
    : biased
      ? ' There are no intervals: a penalty or a projection biases the slopes, and no honest interval follows from their errors.'
      : '';
  const only = family !== undefined || total.kind !== 'absent' ? '' : perUnit[total.why];
  return (
    <>
      {what}
      {sure}
      {only}
    </>
  );
}

function axisOf(family: 'binomial' | 'poisson' | undefined): string {
  if (family === undefined) return 'units of the response for one unit of the column';
  return family === 'binomial' ? 'log odds for one unit' : 'log rate for one unit';
}

/** Means and SDs of the columns, once the total is at hand; undefined while they are worked out. */
function useDescription({ shown }: PartProps, possible: boolean): Description | 'none' | undefined {
  const { value, trouble } = useAnswer(async () => {
    if (!possible) return undefined;
    const [answer] = await ask('askTotal', [...placeOf(shown), [{ about: 'description' }]]);
    return answer === undefined || 'problem' in answer ? 'none' : (answer as Description);
  }, [shown.digest, possible]);
  if (!possible) return undefined;
  return trouble === undefined ? value : 'none';
}

function useForest(): ComponentType<ForestProps> | undefined {
  const [loaded, setLoaded] = useState<{ Forest: ComponentType<ForestProps> }>();
  useEffect(() => {
    import('../../charts/forest.tsx').then(setLoaded, () => {}); // the table has the same numbers
  }, []);
  return loaded?.Forest;
}
