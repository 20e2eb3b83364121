import {
  type ExperimentResult,
  type OwnClaim,
  type PaperStatement,
  paperStatement,
  type ResultFigure,
  type ResultSeries,
  type ResultTable,
  resultSpread,
} from '../paper-result.ts';
import { resultNumberText } from '../text/value-text.ts';
import { fisherMatters } from './matters.ts';
import { etaTs, type TheoryLosses, type TheoryPoint } from './theory-trial.ts';

interface TheoryRun {
  readonly byWidth: readonly TheoryPoint[];
  readonly bySteps: readonly TheoryPoint[];
  readonly seconds: number;
}

/** A way to a model, and its loss in a trial. */
interface Method {
  readonly name: string;
  readonly role: ResultSeries['role'];
  /** Whether its losses are of the size of the others, and are drawn. */
  readonly drawn: boolean;
  lossOf(losses: TheoryLosses): number;
}

/** The ηT of our claim, and of the figures of `research/neural.md`. */
const CLAIMED = 100;

const methods: readonly Method[] = [
  { name: 'FedAvg', role: 'other', drawn: true, lossOf: ({ fedAvg }) => fedAvg },
  ...etaTs.map(
    (etaT, k): Method => ({
      name: fisherName(etaT),
      role: etaT === CLAIMED ? 'exact' : 'other',
      drawn: etaT <= 1000,
      lossOf: ({ fedFisher }) => fedFisher[k]!,
    }),
  ),
  { name: 'centralised', role: 'oracle', drawn: true, lossOf: ({ central }) => central },
];
const fishers = methods.slice(1, -1);
const fedAvg = methods[0]!;
const claimed = methods.find(({ name }) => name === fisherName(CLAIMED))!;

function fisherName(etaT: number): string {
  return `FedFisher, ηT = ${etaT === 1e6 ? '10⁶' : etaT}`;
}

export function theoryResult({ byWidth, bySteps, seconds }: TheoryRun): ExperimentResult {
  return {
    id: 'theory',
    title: 'Two-layer networks, the full Fisher information (Figure 1)',
    about: [
      'Two clients with 100 points each on the unit circle, as Appendix D.1 draws them; a two-layer ReLU network whose second layer is fixed; half the squared error; gradient descent with η = 0.1 at the clients and 0.001 at the server.',
      'The paper does not say how many steps T the server takes. T steps have a closed form (eigenvalues of the 200 × 200 matrix of the Jacobians), so several ηT are shown; ηT = 10⁶ is close to the limit that Lemma 1 speaks of.',
      `${byWidth[0]!.losses.length} seeds by width and ${bySteps[0]!.losses.length} by local steps. “Centralised” is gradient descent on all points with as many steps as a client takes.`,
    ].join(' '),
    seconds,
    tables: [
      lossTable('width', `Mean loss over the clients by width, ${byWidth[0]!.steps} local steps`, {
        points: byWidth,
        of: 'width m',
        labelOf: ({ width }) => String(width),
      }),
      lossTable('steps', `Mean loss over the clients by local steps, width ${bySteps[0]!.width}`, {
        points: bySteps,
        of: 'local steps K',
        labelOf: ({ steps }) => String(steps),
      }),
    ],
    figures: [
      lossFigure('1a', 'Figure 1a: loss by width', 'width m', byWidth, ({ width }) => width),
      lossFigure('1b', 'Figure 1b: loss by local steps', 'steps K', bySteps, ({ steps }) => steps),
    ],
    differences: [limitText(byWidth), smallestText(byWidth)],
    conclusions: [widthStatement(byWidth), stepsStatement(bySteps), ownClaim(byWidth)],
  };
}

const meanOf = ({ losses }: TheoryPoint, { lossOf }: Method) =>
  resultSpread(losses.map(lossOf)).mean;
const meansOf = (points: readonly TheoryPoint[], method: Method) =>
  points.map((point) => meanOf(point, method));
const numbersText = (values: readonly number[]) =>
  values.map((value) => resultNumberText(value)).join(', ');
const falls = (values: readonly number[]) =>
  values.every((value, k) => k === 0 || value < values[k - 1]!);

function lossTable(
  id: string,
  title: string,
  rows: {
    readonly points: readonly TheoryPoint[];
    readonly of: string;
    labelOf(point: TheoryPoint): string;
  },
): ResultTable {
  return {
    id,
    title,
    of: rows.of,
    columns: methods.map(({ name }) => ({ label: name })),
    rows: rows.points.map((point) => ({
      label: rows.labelOf(point),
      cells: methods.map(({ lossOf }) => ({ measured: resultSpread(point.losses.map(lossOf)) })),
    })),
  };
}

function lossFigure(
  id: string,
  title: string,
  label: string,
  points: readonly TheoryPoint[],
  at: (point: TheoryPoint) => number,
): ResultFigure {
  return {
    id,
    title: `${title}, means`,
    kind: 'lines',
    x: { label, log: true },
    y: { label: 'mean loss' },
    series: methods
      .filter(({ drawn }) => drawn)
      .map((method) => ({
        name: method.name,
        role: method.role,
        points: points.map((point) => ({ x: at(point), y: meanOf(point, method) })),
      })),
  };
}

function widthStatement(byWidth: readonly TheoryPoint[]): PaperStatement {
  return paperStatement({
    matter: fisherMatters.width,
    where: 'Figure 1a',
    claim:
      'the training error for FedFisher monotonically decreases as we increase the width of the model',
    readings: fishers.map((method) => {
      const means = meansOf(byWidth, method);
      return {
        as: `mean loss of ${method.name}`,
        holds: falls(means),
        because: numbersText(means),
      };
    }),
    because:
      'The paper does not say T. Near the limit of Lemma 1 small eigenvalues of the Fisher information carry the Laplace error far.',
  });
}

function stepsStatement(bySteps: readonly TheoryPoint[]): PaperStatement {
  return paperStatement({
    matter: fisherMatters.steps,
    where: 'Figure 1b',
    claim:
      'the error initially decreases as clients do more local steps and then rises again, as predicted by our theory',
    readings: fishers.map((method) => {
      const means = meansOf(bySteps, method);
      const least = means.indexOf(Math.min(...means));
      return {
        as: `mean loss of ${method.name}`,
        holds: least > 0 && least < means.length - 1,
        because: numbersText(means),
      };
    }),
    because: `${bySteps.map(({ steps }) => steps).join(', ')} local steps at width ${bySteps[0]!.width}.`,
  });
}

/** Acceptance 5 of the issue. */
function ownClaim(byWidth: readonly TheoryPoint[]): OwnClaim {
  const fused = meansOf(byWidth, claimed);
  const averaged = meansOf(byWidth, fedAvg);
  const better = byWidth
    .flatMap(({ losses }) => losses)
    .filter((losses) => claimed.lossOf(losses) < fedAvg.lossOf(losses)).length;
  const trials = byWidth.reduce((sum, { losses }) => sum + losses.length, 0);
  return {
    of: 'ours',
    claim: `At ηT = ${CLAIMED} the mean loss falls with the width, and FedFisher’s is below FedAvg’s at every width`,
    holds: falls(fused) && fused.every((loss, k) => loss < averaged[k]!),
    because: `FedFisher ${numbersText(fused)}; FedAvg ${numbersText(averaged)}; lower in ${better} of ${trials} trials`,
  };
}

function limitText(byWidth: readonly TheoryPoint[]): string {
  const last = fishers.at(-1)!;
  return `The minimiser of equation (7), to which Lemma 1 leads, is a bad model here: at ηT = 10⁶ the mean loss is ${numbersText(meansOf(byWidth, last))}. The server must stop early, or damp.`;
}

function smallestText(byWidth: readonly TheoryPoint[]): string {
  const widest = byWidth.at(-1)!;
  const best = Math.min(...fishers.map((method) => meanOf(widest, method)));
  return `“Vanishingly small” (Corollary 1) is not reached: at width ${widest.width} and ${widest.steps} local steps the smallest mean loss of FedFisher is ${resultNumberText(best)}, and centralised gradient descent with as many steps has ${resultNumberText(meanOf(widest, methods.at(-1)!))}.`;
}
