import { forecastFor, rowsForExcess } from '../../src/privacy/forecast.ts';
import { mechanismOf } from '../../src/privacy/mechanism.ts';
import type { PlacementName } from '../../src/privacy/placement.ts';
import { type Conclusion, type ExperimentResult, paperStatement } from '../paper-result.ts';
import { termsOf } from '../privacy/one-shot.ts';
import { cell, meanCell, reaches, series, shown } from './cells.ts';
import { type RidgePlan, settingOf } from './plan.ts';
import { ridgeMatters } from './readings.ts';

/** The budgets at which the paper asks for noise on the sum alone. */
export const strongEpsilons: readonly number[] = [0.1, 0.2, 0.4];

/** In the order of their noise. */
export const placements = [
  'central',
  'aggregators',
  'local',
] as const satisfies readonly PlacementName[];

export type InsideMethod = PlacementName | `fedavg-${PlacementName}` | 'hybrid';

/** Numbers by ε and data set. */
export interface InsideTrials {
  readonly mse: Readonly<Record<InsideMethod, readonly number[][]>>;
  /** SD of the noise in a diagonal entry of the published Gram matrix, measured. */
  readonly noise: Readonly<Record<PlacementName, readonly number[][]>>;
  /** Test MSE without noise, and of predicting 0. */
  readonly exact: number[];
  readonly zero: number[];
}

const labels: Readonly<Record<InsideMethod, string>> = {
  central: 'One-Shot, one noise by a trusted coordinator',
  aggregators: 'One-Shot, noise inside: two aggregators',
  local: 'One-Shot, a noise at each site',
  hybrid: 'Hybrid 1+4, noise inside',
  'fedavg-central': 'DP-FedAvg-100, one noise a round',
  'fedavg-aggregators': 'DP-FedAvg-100, noise inside',
  'fedavg-local': 'DP-FedAvg-100, a noise at each site',
};

const methods = Object.keys(labels) as InsideMethod[];

/** Results of the data sets so far. */
export function insideResult(
  plan: RidgePlan,
  begun: number,
  { mse, noise, exact, zero }: InsideTrials,
): ExperimentResult {
  const mean = (method: InsideMethod, e: number) => meanCell(mse[method][e]!);
  const ratio = (one: PlacementName, other: PlacementName, e: number) =>
    meanCell(noise[one][e]!) / meanCell(noise[other][e]!);
  const listed = (text: (e: number) => string) =>
    strongEpsilons.map((epsilon, e) => `ε = ${epsilon}: ${text(e)}`).join('; ');
  return {
    id: 'inside',
    title: 'Noise inside the sum, at ε below 0.5 (§VI-D)',
    about: `Test MSE at ε below 0.5, δ = 10⁻⁵, for a row added or removed, with ε kept: K = ${plan.sites}, nₖ = ${plan.rowsPerSite}, d = ${plan.features}, γ = ${plan.heterogeneity}, σ = 0.01, ${exact.length} data sets. Every noise alone keeps the promise. One noise: a coordinator that sees exact sums adds it to the total. Noise inside: a helper adds one to the sum of the masks, so that the coordinator opens a noisy total, and the coordinator adds another; nobody is trusted with an exact sum, as long as the two do not work together. A noise at each site: nobody is trusted at all. DP-FedAvg takes 100 full-batch rounds with a clip of ¼ and a step of 0.1, and its rounds compose to the same ε (Gaussian composition, R rounds of μ/√R); by placement it has 1, 2 or ${plan.sites} noises a round. The hybrid takes four private gradient steps after One-Shot, at the same price.`,
    seconds: (performance.now() - begun) / 1000,
    tables: [
      {
        id: 'inside',
        title: 'Test MSE by who adds the noise',
        of: 'ε',
        columns: [
          ...methods.map((method) => ({ label: labels[method] })),
          { label: 'Without noise' },
        ],
        rows: strongEpsilons.map((epsilon, e) => ({
          label: String(epsilon),
          cells: [...methods.map((method) => cell(mse[method][e]!)), cell(exact)],
        })),
      },
      {
        id: 'inside-noise',
        title: 'SD of the noise in a diagonal entry of the total’s Gram matrix, rows of length 1',
        of: 'ε',
        columns: [
          { label: 'One noise, by formula' },
          { label: 'One noise' },
          { label: 'Noise inside' },
          { label: 'A noise at each site' },
          { label: 'Each site / one noise', form: 'ratio' },
          { label: 'Each site / inside', form: 'ratio' },
        ],
        rows: strongEpsilons.map((epsilon, e) => ({
          label: String(epsilon),
          cells: [
            cell([mechanismOf(termsOf(epsilon), plan.features).sigma.gram]),
            ...placements.map((placement) => cell(noise[placement][e]!)),
            cell([ratio('local', 'central', e)]),
            cell([ratio('local', 'aggregators', e)]),
          ],
        })),
      },
    ],
    figures: [
      {
        id: 'inside',
        title: 'Test MSE at ε below 0.5',
        kind: 'lines',
        x: { label: 'ε', log: true },
        y: { label: 'test MSE', log: true },
        series: [
          ...methods
            .filter((method) => method !== 'aggregators')
            .map((method) => series(labels[method], 'other', strongEpsilons, mse[method])),
          series(
            'Without noise',
            'oracle',
            strongEpsilons,
            strongEpsilons.map(() => exact),
          ),
          series(labels.aggregators, 'exact', strongEpsilons, mse.aggregators),
        ],
      },
    ],
    differences: [
      `The paper prints no result for this. Predicting 0 has a test MSE of ${shown(meanCell(zero))}, and without noise it is ${shown(meanCell(exact))}.`,
      `Less noise is not yet a good model. One-Shot with noise inside, and with a noise at each site: ${listed((e) => `${shown(mean('aggregators', e))} and ${shown(mean('local', e))}`)}. There are d² sums to hide: by the forecast of a study, noise inside needs ${rowsFor(plan).toLocaleString('en')} rows for an error of 1 % at ε = 0.4, and here are ${(plan.sites * settingOf(plan).trainRows).toLocaleString('en')}.`,
      `DP-FedAvg hides d numbers a round and gains more. With noise inside, and with a noise at each site: ${listed((e) => `${shown(mean('fedavg-aggregators', e))} and ${shown(mean('fedavg-local', e))}`)}.`,
    ],
    conclusions: conclusionsOf(plan, mean, ratio, listed),
  };
}

/** Rows for which noise inside adds 1 % of the explained variance at ε = 0.4, by the forecast of a study. */
function rowsFor({ features, sites }: RidgePlan): number {
  const terms = termsOf(0.4, { placement: 'aggregators' });
  return rowsForExcess(0.01, forecastFor(terms, { rows: 1, columns: features, sites }), 1);
}

function conclusionsOf(
  { sites }: RidgePlan,
  mean: (method: InsideMethod, e: number) => number,
  ratio: (one: PlacementName, other: PlacementName, e: number) => number,
  listed: (text: (e: number) => string) => string,
): Conclusion[] {
  const at = strongEpsilons.map((_, e) => e);
  const gain = Math.sqrt(sites);
  const reading = (as: string, other: PlacementName) => ({
    as,
    holds: at.every((e) => reaches(ratio('local', other, e), gain)),
    because: `√K is ${shown(gain)}; the SD falls by ${listed((e) => shown(ratio('local', other, e)))}`,
  });
  return [
    paperStatement({
      matter: ridgeMatters.noiseInside,
      where: '§VI-D, 1)',
      claim: 'would reduce total noise by factor √K while maintaining privacy',
      readings: [
        reading('one noise, by a coordinator that is trusted with the exact sum', 'central'),
        reading(
          'noise inside: two aggregators, neither of which is trusted with it',
          'aggregators',
        ),
      ],
      because:
        'With one noise for K the factor is √K. Where nobody is trusted with the exact sum two noises are needed, and it is √(K/2).',
    }),
    {
      of: 'ours',
      claim:
        'Noise inside is nearer to one trusted noise than to a noise at each site, from ε = 0.2 on',
      holds: at
        .slice(1)
        .every(
          (e) =>
            mean('aggregators', e) - mean('central', e) < mean('local', e) - mean('aggregators', e),
        ),
      because: listed(
        (e) =>
          `${shown(mean('central', e))}, ${shown(mean('aggregators', e))}, ${shown(mean('local', e))}`,
      ),
    },
    {
      of: 'ours',
      claim:
        'With noise inside DP-FedAvg is ahead of One-Shot from ε = 0.2 on, and the hybrid 1+4 makes up at least half of it',
      holds: at.slice(1).every((e) => {
        const behind = mean('aggregators', e) - mean('fedavg-aggregators', e);
        return behind > 0 && mean('aggregators', e) - mean('hybrid', e) >= behind / 2;
      }),
      because: listed(
        (e) =>
          `One-Shot ${shown(mean('aggregators', e))}, hybrid ${shown(mean('hybrid', e))}, DP-FedAvg ${shown(mean('fedavg-aggregators', e))}`,
      ),
    },
  ];
}
