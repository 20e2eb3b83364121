import { useState } from 'preact/hooks';
import type { Report } from '../../../src/model/report.ts';
import { ruleText } from '../../../src/study/rule-text.ts';
import { significant } from '../../../src/text/number-text.ts';
import { Lines } from '../../charts/lines.tsx';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import { isSite } from '../../tab/page-address.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { call } from '../../worker/call.ts';
import type { Exploration } from '../../worker/exploration.ts';
import { NeedsTotal } from './needs-total.tsx';
import { placeOf, type SectionProps } from './section-props.ts';

type Chosen = Pick<Report, 'selection' | 'ridge' | 'lasso'>;

/** The score of each penalty: the curve that the study chose from, GCV, or left-out sites. */
export function Selection(props: SectionProps) {
  const { shown, total, link } = props;
  const { report } = shown.resolution;
  const many = report.sites.length > 1;
  const scale = shown.linear?.scale ?? 'raw';
  const chose = report.selection !== undefined && report.selection.length > 1;
  return (
    <div class="stack">
      {chose ? (
        <Curve chosen={report} />
      ) : (
        <NeedsTotal total={total} what="The curve of GCV">
          {() => <GcvCurve {...props} scale={scale} />}
        </NeedsTotal>
      )}
      {!isSite(link) &&
        shown.questions === 'sums' &&
        many &&
        report.ridge?.rule !== 'leave-one-site-out' && (
          <LeftOut {...props} scale={scale} key={shown.digest} />
        )}
    </div>
  );
}

function Curve({ chosen }: { readonly chosen: Chosen }) {
  const { selection = [], ridge, lasso } = chosen;
  const rule = ridge?.rule ?? lasso?.rule ?? '';
  const inUse = ridge?.value ?? lasso?.lambda ?? Number.NaN;
  const smallest = smallestOf(chosen);
  const apart = Math.abs(Math.log(smallest / inUse)) > 0.02;
  const withErrors = selection.some(({ error }) => error !== undefined);
  return (
    <div class="stack">
      <p>
        Chosen by {ruleText(rule)}: {significant(inUse, 4)}
        {isWeakest(chosen) ? ', the weakest penalty tried. A penalty does not help here.' : '.'}
        {flatText(chosen)}
        {withErrors ? ' The band is one standard error over the left-out sites.' : ''}
      </p>
      <Lines
        title={`Score by penalty, ${ruleText(rule)}`}
        series={[
          {
            name: 'score',
            points: selection.map(({ ridge: penalty, score }) => [penalty, score] as const),
            ...(withErrors
              ? {
                  band: selection.map(
                    ({ ridge: penalty, score, error = 0 }) =>
                      [penalty, score - error, score + error] as const,
                  ),
                }
              : {}),
          },
        ]}
        x={{ label: 'penalty, weak to strong', log: true }}
        y={{ label: 'score, smaller is better' }}
        marks={[
          { x: inUse, text: apart ? 'in use' : 'in use, smallest' },
          ...(apart ? [{ x: smallest, text: 'smallest' }] : []),
        ]}
      />
    </div>
  );
}

/** The range of penalties with almost the same score. */
function flatText(chosen: Chosen): string {
  const flat = chosen.ridge?.flat;
  if (flat === undefined) return '';
  const from = isWeakest(chosen) ? 'Up to' : `Between ${significant(flat[0], 3)} and`;
  return ` ${from} ${significant(flat[1], 3)} the score hardly changes.`;
}

interface Scaled extends SectionProps {
  readonly scale: Exploration['scale'];
}

/** Scores above this multiple of the smallest are cut off: they would flatten the curve. */
const WORTH_SEEING = 1.5;
/** A score above this multiple of the smallest counts as rising. */
const RISEN = 1.01;

/** The curve of GCV, from the total alone, for a study that was given its penalty. */
function GcvCurve({ shown, scale }: Scaled) {
  const { report } = shown.resolution;
  const { value: chosen, failure } = useAnswer(
    () => call('chooseResultByGcv', [...placeOf(shown), scale]),
    [shown.digest],
  );
  if (failure !== undefined) return <FailureNotice failure={failure} />;
  if (chosen === undefined) return <div class="waiting" />;
  const points = worthSeeing(chosen);
  if (points.length < 2) return <p class="soft">There are too few rows for a curve of GCV.</p>;
  const smallest = smallestOf(chosen);
  const inUse = report.ridge?.value ?? 0;
  return (
    <div class="stack">
      <p>
        {given(report)} Generalised cross-validation (GCV), the expected squared error of a new row,
        would be smallest{' '}
        {isWeakest(chosen) ? 'without a penalty' : `at a ridge of ${significant(smallest, 4)}`}.
      </p>
      <Lines
        title="Generalised cross-validation by ridge"
        series={[{ name: 'GCV', points }]}
        x={{ label: 'ridge, weak to strong', log: true }}
        y={{ label: 'GCV, smaller is better' }}
        marks={[
          ...(isWeakest(chosen) ? [] : [{ x: smallest, text: 'smallest' }]),
          ...(inUse > 0 ? [{ x: inUse, text: 'in use' }] : []),
        ]}
      />
    </div>
  );
}

/** The part of a curve around its smallest score; the flat part of weak penalties is cut. */
function worthSeeing(chosen: Chosen): readonly (readonly [number, number])[] {
  const { selection = [] } = chosen;
  const best = Math.min(...selection.map(({ score }) => score));
  const near = selection.filter(({ score }) => score <= WORTH_SEEING * best);
  const rising = near.filter(
    ({ ridge, score }) => ridge > smallestOf(chosen) && score > RISEN * best,
  );
  const knee = Math.min(...rising.map(({ ridge }) => ridge));
  const from = Math.min(smallestOf(chosen) / 10, knee / 1000);
  return near
    .filter(({ ridge }) => ridge >= from || isWeakest(chosen))
    .map(({ ridge, score }) => [ridge, score] as const);
}

function smallestOf({ selection = [], ridge }: Chosen): number {
  return ridge?.minimum ?? selection.reduce((a, b) => (b.score < a.score ? b : a)).ridge;
}

/** Whether the best penalty is the weakest one tried. */
function isWeakest(chosen: Chosen): boolean {
  const weakest = Math.min(...(chosen.selection ?? []).map(({ ridge }) => ridge));
  return smallestOf(chosen) <= weakest * 1.0001;
}

function given({ ridge, lasso }: Report): string {
  if (lasso !== undefined) {
    return `The lambda of the study is fixed at ${significant(lasso.lambda, 4)}. For a ridge instead:`;
  }
  const value = ridge?.value ?? 0;
  return value === 0
    ? 'The study has no penalty.'
    : `The penalty of the study is fixed at ${significant(value, 4)}.`;
}

/** Scores with one site left out at a time. The coordinator computes them, because they need each site's sums. */
function LeftOut({ link, shown, scale }: Scaled) {
  const [asking, setAsking] = useState(false);
  const [found, setFound] = useState<{
    readonly report?: Report;
    readonly failure?: PageFailure;
  }>();
  const start = async () => {
    setAsking(true);
    setFound(
      await call('loadLeftOutSites', [link, ...placeOf(shown), scale]).then(
        (report) => ({ report }),
        (error) => ({ failure: pageFailureOf(error) }),
      ),
    );
    setAsking(false);
  };
  if (found?.report !== undefined) {
    return (
      <div class="stack">
        <h3>One site left out at a time</h3>
        <Curve chosen={found.report} />
      </div>
    );
  }
  return (
    <>
      {found?.failure !== undefined && <FailureNotice failure={found.failure} />}
      <p class="row">
        <Button busy={asking} onClick={() => void start()}>
          {asking ? 'The coordinator is computing…' : 'Leave out one site at a time'}
        </Button>
        <span class="small soft">
          How well a model of the other sites predicts each site. The coordinator computes it,
          because it needs each site’s sums.
        </span>
      </p>
    </>
  );
}
