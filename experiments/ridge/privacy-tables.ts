import { epsilonOf } from '../../src/privacy/calibration.ts';
import {
  type Conclusion,
  type ExperimentResult,
  paperStatement,
  type ResultTable,
  type StatementReading,
} from '../paper-result.ts';
import { printedDeviation } from '../privacy/as-printed.ts';
import { delta, epsilons, tableV } from '../privacy/paper.ts';
import { cell, meanCell, percentCell, printedSeries, reaches, series, shown } from './cells.ts';
import type { RidgePlan } from './plan.ts';
import { ridgeMatters } from './readings.ts';

/** The methods of Table V, with correct noise and as printed. */
export type PrivateMethod =
  | 'oneShot'
  | 'hybrid'
  | 'fedAvg'
  | 'printedOneShot'
  | 'printedSteps'
  | 'printedRounds';

const labels: Readonly<Record<PrivateMethod, string>> = {
  oneShot: 'One-Shot, private',
  hybrid: 'Hybrid 1+4, private',
  fedAvg: 'DP-FedAvg-100, private',
  printedOneShot: 'One-Shot as printed, NOT private',
  printedSteps: 'DP-FedAvg as printed, a noise a step, NOT private',
  printedRounds: 'DP-FedAvg as printed, a noise a round, NOT private',
};

const methods = Object.keys(labels) as PrivateMethod[];

/** Results of the trials so far; `found` by method and ε, without noise last; `moved` is by how much a row of the paper's data moves the sums. */
export function privacyResult(
  plan: RidgePlan,
  begun: number,
  found: Readonly<Record<PrivateMethod, readonly (readonly number[])[]>>,
  moved: number,
  bits: readonly Conclusion[],
): ExperimentResult {
  const mean = (method: PrivateMethod, epsilon: number) =>
    meanCell(found[method][epsilons.indexOf(epsilon)]!);
  const last = epsilons.length;
  const exact = meanCell(found.oneShot[last]!);
  const against = (one: PrivateMethod, other: PrivateMethod) =>
    epsilons
      .map(
        (epsilon) =>
          `ε = ${epsilon}: ${shown(mean(one, epsilon))} against ${shown(mean(other, epsilon))}`,
      )
      .join('; ');
  const printedOf = (method: PrivateMethod, e: number): string | undefined => {
    if (method !== 'printedOneShot' && method !== 'printedSteps') return undefined;
    const column = method === 'printedOneShot' ? 0 : 1;
    const value =
      e === last ? tableV.nonPrivate[column] : [tableV.oneShot, tableV.fedAvg][column]![e];
    return String(value);
  };
  return {
    id: '5',
    title: 'Privacy and utility',
    about: `Test MSE at ε from 0.1 to 10, δ = 10⁻⁵, for a row added or removed: K = ${plan.sites}, nₖ = ${plan.rowsPerSite}, d = ${plan.features}, γ = ${plan.heterogeneity}, σ = 0.01 under noise. In the private columns ε is kept: rows are clipped to length 1, every release is charged, and there is one noise on the sum, added by the coordinator. The one-shot column is the default of a private study, the hybrid takes four private gradient steps more at the same price. DP-FedAvg takes 100 rounds whose noise composes to the same ε (Gaussian composition), with a clip of ¼ and a step of 0.1 for every ε. The columns as printed have the paper’s noise: τ/ε at each client on rows that are about √d long, and for DP-FedAvg τ/ε₀ with ε₀ = ε/√R on a client’s summed gradient; nothing is clipped, so ε is a label there. The paper does not say where DP-FedAvg’s noise is added: a noise a step is new at each of the five local steps, with σ on the mean loss; a noise a round is the same in all five.`,
    seconds: (performance.now() - begun) / 1000,
    tables: [
      {
        id: 'V',
        title: 'Test MSE at privacy budgets',
        of: 'ε',
        columns: methods.map((method) => ({ label: labels[method] })),
        rows: [...epsilons, Number.POSITIVE_INFINITY].map((epsilon, e) => ({
          label: e === last ? '∞' : String(epsilon),
          cells: methods.map((method) => cell(found[method][e]!, printedOf(method, e))),
        })),
      },
      guaranteeTable(moved),
    ],
    figures: [
      {
        id: '4',
        title: 'Privacy and utility',
        kind: 'lines',
        x: { label: 'ε', log: true },
        y: { label: 'test MSE', log: true },
        series: [
          ...methods
            .filter((method) => method !== 'oneShot')
            .map((method) => series(labels[method], 'other', epsilons, found[method])),
          series(
            'Without noise',
            'oracle',
            epsilons,
            epsilons.map(() => found.oneShot[last]!),
          ),
          series(labels.oneShot, 'exact', epsilons, found.oneShot),
          printedSeries('One-Shot', epsilons, tableV.oneShot),
          printedSeries('DP-FedAvg', epsilons, tableV.fedAvg),
        ],
      },
    ],
    differences: [
      `With ε kept, ε = 1 costs One-Shot a test MSE of ${shown(mean('oneShot', 1))} (printed 0.012), and DP-FedAvg-100 ${shown(mean('fedAvg', 1))} (printed 0.011); without noise it is ${shown(exact)}.`,
      `With the paper’s noise it is ${shown(mean('printedOneShot', 1))} for One-Shot and, with a noise at each step, ${shown(mean('printedSteps', 1))} for DP-FedAvg, whose column is ${shown(mean('printedSteps', 10))} at ε = 10 and ${shown(meanCell(found.printedSteps[last]!))} without noise (printed 0.0103 both).`,
      `Four private gradient steps after the one shot, at the same price: ${shown(mean('hybrid', 1))} at ε = 1.`,
    ],
    conclusions: [
      ...statementsOf(mean, exact, moved),
      ...bits,
      {
        of: 'ours',
        claim: 'The hybrid 1+4 beats One-Shot at every ε from 0.5 on, at the same price',
        holds: epsilons.every(
          (epsilon) => epsilon < 0.5 || mean('hybrid', epsilon) < mean('oneShot', epsilon),
        ),
        because: against('hybrid', 'oneShot'),
      },
      {
        of: 'ours',
        claim: 'A promise that is kept costs more than the printed noise, at every ε',
        holds: epsilons.every(
          (epsilon) => mean('oneShot', epsilon) > mean('printedOneShot', epsilon),
        ),
        because: against('oneShot', 'printedOneShot'),
      },
    ],
  };
}

type Mean = (method: PrivateMethod, epsilon: number) => number;

/** The readings of a comparison with DP-FedAvg. */
const comparisons = [
  {
    as: 'ε is kept: rows clipped to length 1, every release charged',
    oneShot: 'oneShot',
    fedAvg: 'fedAvg',
  },
  {
    as: 'the paper’s noise, for DP-FedAvg at each local step, with σ on the mean loss; ε is a label',
    oneShot: 'printedOneShot',
    fedAvg: 'printedSteps',
  },
  {
    as: 'the paper’s noise, for DP-FedAvg once a round for all its steps; ε is a label',
    oneShot: 'printedOneShot',
    fedAvg: 'printedRounds',
  },
] as const;

function statementsOf(mean: Mean, exact: number, moved: number): Conclusion[] {
  return [
    costStatement(mean, exact),
    paperStatement({
      matter: ridgeMatters.moderatePrivacy,
      where: '§V-F, Corollary 3',
      claim: 'At moderate privacy (ε ≥ 1), the situation reverses: One-Shot dominates',
      readings: comparisonReadings(
        mean,
        epsilons.filter((epsilon) => epsilon > 1),
        (oneShot, fedAvg) => oneShot < fedAvg,
      ),
      because:
        'With ε kept, One-Shot has d² numbers to hide and a round of DP-FedAvg d, while R rounds with √R times the noise cost the same ε under Gaussian composition. With more rows One-Shot gains; the privacy experiment has it.',
    }),
    paperStatement({
      matter: ridgeMatters.strongPrivacy,
      where: '§V-F, Table V',
      claim: 'At high privacy (low ε ≤ 0.5), DP-FedAvg outperforms private One-Shot.',
      readings: comparisonReadings(
        mean,
        epsilons.filter((epsilon) => epsilon <= 0.5),
        (oneShot, fedAvg) => fedAvg < oneShot,
      ),
      because:
        'One noise in all five local steps weighs √5 times as much as a new one at each, and a step along 2Aᵀr doubles it.',
    }),
    guaranteeStatement(moved),
  ];
}

function comparisonReadings(
  mean: Mean,
  at: readonly number[],
  wins: (oneShot: number, fedAvg: number) => boolean,
): StatementReading[] {
  return comparisons.map(({ as, oneShot, fedAvg }) => ({
    as,
    holds: at.every((epsilon) => wins(mean(oneShot, epsilon), mean(fedAvg, epsilon))),
    because: at
      .map(
        (epsilon) =>
          `ε = ${epsilon}: One-Shot ${shown(mean(oneShot, epsilon))}, DP-FedAvg ${shown(mean(fedAvg, epsilon))}`,
      )
      .join('; '),
  }));
}

function costStatement(mean: Mean, exact: number): Conclusion {
  const reading = (as: string, method: PrivateMethod): StatementReading => {
    const cost = mean(method, 1) / exact - 1;
    return {
      as,
      holds: reaches(0.2, cost),
      because: `One-Shot’s MSE at ε = 1 is ${percentCell(cost)} above that without noise; printed are 20 %`,
    };
  };
  return paperStatement({
    matter: ridgeMatters.privacyCost,
    where: 'Table V (ε, One-Shot, DP-FedAvg-100, better)',
    claim: '1.0 | 0.012 | 0.011 | Tie',
    readings: [
      reading('the paper’s noise; ε is a label', 'printedOneShot'),
      reading('ε is kept', 'oneShot'),
    ],
    because: 'The printed column is that of noise τ/ε on rows of length 10 that are not clipped.',
  });
}

/** The (ε, δ) that Algorithm 2 has, by what is taken to be its noise and its rows. */
function guarantees(moved: number) {
  const tau = printedDeviation(delta);
  // G and h are one release: a row of length 1 with a response of 1 moves them by √2.
  return [
    {
      as: 'as printed, τ without ε, rows and responses of at most 1 (Definition 3)',
      label: 'τ, rows ≤ 1',
      epsilon: (_: number) => epsilonOf(Math.SQRT2 / tau, delta),
    },
    {
      as: 'τ/ε, rows and responses of at most 1 (Definition 3)',
      label: 'τ/ε, rows ≤ 1',
      epsilon: (asked: number) => epsilonOf((Math.SQRT2 * asked) / tau, delta),
    },
    {
      as: 'τ/ε, the rows of §V-A, which have length √d and are not clipped',
      label: 'τ/ε, rows of §V-A',
      epsilon: (asked: number) => epsilonOf((moved * asked) / tau, delta),
    },
  ];
}

function guaranteeTable(moved: number): ResultTable {
  const readings = guarantees(moved);
  return {
    id: 'guarantee',
    title: 'The ε that Algorithm 2 keeps, at δ = 10⁻⁵, for a row added or removed',
    of: 'ε asked for',
    columns: readings.map(({ label }) => ({ label })),
    rows: epsilons.map((asked) => ({
      label: String(asked),
      cells: readings.map(({ epsilon }) => cell([epsilon(asked)])),
    })),
  };
}

function guaranteeStatement(moved: number): Conclusion {
  return paperStatement({
    matter: ridgeMatters.guarantee,
    where: 'Theorem 6',
    claim: 'Algorithm 2 satisfies (ε, δ)-differential privacy for each client’s local dataset.',
    readings: guarantees(moved).map(({ as, epsilon }) => ({
      as,
      holds: epsilons.every((asked) => epsilon(asked) <= asked),
      because: `ε = ${epsilons.join(', ')} asked for is ε = ${epsilons.map((asked) => shown(epsilon(asked))).join(', ')}`,
    })),
    because:
      'Line 1 has no ε, and G and h are one release, which a row moves by √2 and not by 1. Noise √2·τ/ε on clipped rows keeps the promise for ε up to 1. The rows of Table V do not meet Definition 3.',
  });
}
