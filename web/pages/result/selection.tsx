import { useState } from 'preact/hooks';
import { significant } from '../../../src/model/number-text.ts';
import type { Report } from '../../../src/model/report.ts';
import { ruleText } from '../../../src/study/rule-text.ts';
import { isSite } from '../../app/here.ts';
import { Lines } from '../../charts/lines.tsx';
import { ask } from '../../desk/call.ts';
import type { Exploration } from '../../desk/exploration.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, TroubleNotice } from '../../ui/notice.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { NeedsTotal } from './needs-total.tsx';
import { type PartProps, placeOf } from './part.ts';

type Chosen = Pick<Report, 'selection' | 'ridge' | 'lasso'>;

/** How well each penalty would do: the curve the study chose from, GCV, or sites left out in turn. */
export function Selection(props: PartProps) {
  const { shown, total, link } = props;
  const { report } = shown.resolution;
  const many = report.sites.length > 1;
  if (shown.questions === 'information') {
    return <Notice kind="info">There is no penalty to choose in this kind of model.</Notice>;
  }
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
        {isWeakest(chosen) ? ', the weakest that was tried. A penalty does not help here.' : '.'}
        {ridge?.flat === undefined
          ? ''
          : ` ${isWeakest(chosen) ? 'Up to' : `Between ${significant(ridge.flat[0], 3)} and`} ${significant(ridge.flat[1], 3)} the score hardly changes.`}
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

interface Scaled extends PartProps {
  readonly scale: Exploration['scale'];
}

/** Scores beyond this many times the smallest would flatten the rest of the curve. */
const WORTH_SEEING = 1.5;
/** Scores so many times the smallest have begun to rise. */
const RISEN = 1.01;

/** From the total alone: what the study would have chosen from, had it been asked to choose. */
function GcvCurve({ shown, scale }: Scaled) {
  const { report } = shown.resolution;
  const { value: chosen, trouble } = useAnswer(
    () => ask('chooseByGcv', [...placeOf(shown), scale]),
    [shown.digest],
  );
  if (trouble !== undefined) return <TroubleNotice trouble={trouble} />;
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

/** The part of a curve around its smallest score; far to the weak side nothing changes any more. */
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

/** Whether no penalty that was tried is weaker than the best one. */
function isWeakest(chosen: Chosen): boolean {
  const weakest = Math.min(...(chosen.selection ?? []).map(({ ridge }) => ridge));
  return smallestOf(chosen) <= weakest * 1.0001;
}

function given({ ridge, lasso }: Report): string {
  if (lasso !== undefined) {
    return `The study was given its lambda, ${significant(lasso.lambda, 4)}. Had it been a ridge:`;
  }
  const value = ridge?.value ?? 0;
  return `The study was given its penalty, ${value === 0 ? 'none' : significant(value, 4)}.`;
}

/** Needs each site's own sums, so the coordinator computes it when it is asked to. */
function LeftOut({ link, shown, scale }: Scaled) {
  const [asking, setAsking] = useState(false);
  const [found, setFound] = useState<{ readonly report?: Report; readonly trouble?: Trouble }>();
  const start = async () => {
    setAsking(true);
    setFound(
      await ask('askLeftOut', [link, ...placeOf(shown), scale]).then(
        (report) => ({ report }),
        (failure) => ({ trouble: troubleOf(failure) }),
      ),
    );
    setAsking(false);
  };
  if (found?.report !== undefined) {
    return (
      <div class="stack">
        <h3>Leaving out one site at a time</h3>
        <Curve chosen={found.report} />
      </div>
    );
  }
  return (
    <>
      {found?.trouble !== undefined && <TroubleNotice trouble={found.trouble} />}
      <p class="row">
        <Button busy={asking} onClick={() => void start()}>
          {asking ? 'The coordinator is computing…' : 'Leave out one site at a time'}
        </Button>
        <span class="small soft">
          How well a model of the other sites predicts each one. It needs the sites’ own sums, so
          the coordinator is asked.
        </span>
      </p>
    </>
  );
}
