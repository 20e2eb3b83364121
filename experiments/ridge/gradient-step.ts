import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { baselineClient } from '../baselines/client.ts';
import { dotOf, productWith } from '../baselines/product.ts';
import { type Experiment, paperStatement } from '../paper-result.ts';
import { pooled } from '../privacy/trial.ts';
import { cell, meanCell, percentCell } from './cells.ts';
import { type Draw, drawOf } from './draw.ts';
import { exactPair } from './exact-pair.ts';
import { type RidgePlan, seedsOf, settingOf } from './plan.ts';
import { ridgeMatters } from './readings.ts';
import { sameBits } from './same-bits.ts';
import { mseOf } from './test-loss.ts';
import { progressPart } from './work.ts';

/** Proposition 4: one gradient step with the best possible rate, compared with the exact model. */
export function* gradientStep(plan: RidgePlan): Experiment {
  const begun = performance.now();
  const kinds = kindsOf(plan);
  const seeds = seedsOf(plan);
  const bits = sameBits();
  const found = kinds.map((): { exact: number; train: number; test: number }[] => []);
  for (const [i, kind] of kinds.entries()) {
    for (const [t, seed] of seeds.entries()) {
      const at = (share: number) => (i * seeds.length + t + share) / (kinds.length * seeds.length);
      const what = `one gradient step: ${kind.label}, trial ${t + 1} of ${seeds.length}`;
      yield { done: at(0), what };
      const draw = drawOf({ ...settingOf(plan), ...kind.setting }, seed);
      const pair = yield* progressPart([at(0), at(0.9)], what, exactPair(draw, plan.ridge));
      bits.compare(pair.fused, pair.central);
      found[i]!.push({ exact: pair.fused.mse, ...bestSteps(draw, plan.ridge) });
    }
  }
  const gap = (i: number, by: 'train' | 'test') =>
    meanCell(found[i]!.map((trial) => trial[by] / trial.exact - 1));
  const least = Math.min(...kinds.map((_, i) => gap(i, 'test')));
  return {
    id: 'gradient',
    title: 'One gradient step is not enough (Proposition 4)',
    about: `w = ηh, one step from w = 0: the same one round, d numbers from each client. η is the best there is: of the training loss, hᵀh/hᵀ(G + σI)h, which needs G already; or of the test rows, which nobody has. Features are as the paper draws them, or have standard deviations that fall like 1/j. K = ${plan.sites}, nₖ = ${plan.rowsPerSite}.`,
    seconds: (performance.now() - begun) / 1000,
    tables: [
      {
        id: 'step',
        title: 'Test MSE of one gradient step with the best rate',
        of: 'Features',
        columns: [
          { label: 'Exact' },
          { label: 'Best η by training loss' },
          { label: 'Best η by test rows' },
          { label: 'Above exact, at best', form: 'percent' },
        ],
        rows: kinds.map(({ label }, i) => ({
          label,
          cells: [
            cell(found[i]!.map(({ exact }) => exact)),
            cell(found[i]!.map(({ train }) => train)),
            cell(found[i]!.map(({ test }) => test)),
            cell(found[i]!.map(({ test, exact }) => test / exact - 1)),
          ],
        })),
      },
    ],
    figures: [],
    differences: [
      `The paper proves it and measures nothing. Measured, even a rate chosen on the test rows leaves the MSE ${kinds.map(({ label }, i) => `${percentCell(gap(i, 'test'))} above the exact one (${label})`).join(', ')}.`,
    ],
    conclusions: [
      paperStatement({
        matter: ridgeMatters.gradient,
        where: 'Proposition 4',
        claim: 'No single gradient step achieves the ridge regression optimum',
        readings: [
          {
            as: 'the best rate of all, chosen on the test rows',
            holds: least > 0,
            because: `${percentCell(least)} above the exact MSE`,
          },
        ],
        because: 'Even the rate that is best for the training loss takes G to compute.',
      }),
      bits.conclusion(),
    ],
  };
}

function kindsOf({ features }: RidgePlan) {
  return [
    {
      label: `d = ${Math.max(2, Math.round(features / 5))}, as the paper draws them`,
      setting: { features: Math.max(2, Math.round(features / 5)) },
    },
    { label: `d = ${features}, as the paper draws them`, setting: { features } },
    {
      label: `d = ${features}, falling like 1/j`,
      setting: { features, spectrum: 'falling' as const },
    },
  ];
}

/** MSE of w = ηh for the best η: the MSE of c·v is a parabola in c. */
function bestSteps({ sites, test }: Draw, ridge: number): { train: number; test: number } {
  const kernels = reproducibleKernels();
  const all = baselineClient(kernels, pooled(sites));
  const held = baselineClient(kernels, test);
  const h = all.moments;
  const product = productWith(kernels, all.gram, h.length);
  const onTest = productWith(kernels, held.gram, h.length);
  const along = dotOf(h, h);
  const rate = along / (dotOf(h, product(h)) + ridge * along);
  const lucky = dotOf(held.moments, h) / dotOf(h, onTest(h));
  const mse = (eta: number) =>
    mseOf(
      test,
      h.map((v) => eta * v),
    );
  return { train: mse(rate), test: mse(lucky) };
}
