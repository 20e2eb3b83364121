import { agreement } from '../../src/federate.ts';
import { createKernels, reproducibleKernels } from '../../src/numeric/kernels.ts';
import { dualFedAvg } from '../baselines/dual-fed-avg.ts';
import { fedAvg } from '../baselines/fed-avg.ts';
import { trafficOf } from '../baselines/wire.ts';
import type { GeneratorSetting } from '../data/generator.ts';
import type { Experiment } from '../paper-result.ts';
import { clientsOneByOne, type Draw, drawnSiteBySite, drawOf } from './draw.ts';
import { numberedSite, ridgeStudy, signedBytes, siteContribution } from './exact.ts';
import { exactPair } from './exact-pair.ts';
import { defaultRidgePlan, type RidgePlan, seedsOf, settingOf } from './plan.ts';
import type { ProjectionBytes, ProjectionFound, SpectrumName } from './projected.ts';
import { projectedFits } from './projected-fits.ts';
import { projectionRivals } from './projection-rivals.ts';
import { projectionResult } from './projection-tables.ts';
import { type SameBits, sameBits } from './same-bits.ts';
import { advisedDimension, leftOutShare, siteSpectrum } from './spectrum.ts';
import { mseOf } from './test-loss.ts';
import { progressPart, share, type Work } from './work.ts';

const ROUNDS = 200;

const spectra: readonly SpectrumName[] = ['flat', 'falling'];

/** Experiment 7: Table VII. */
export function* projection(plan: RidgePlan): Experiment {
  const begun = performance.now();
  const features = featuresOf(plan);
  const base = { ...settingOf(plan), features };
  const dimensions = dimensionsOf(features);
  const seeds = seedsOf(plan, features >= 1000 ? 1 : Number.POSITIVE_INFINITY);
  const bits = sameBits();
  const found: Record<SpectrumName, ProjectionFound[]> = { flat: [], falling: [] };
  const bytes: ProjectionBytes[] = [];
  for (const [i, dimension] of dimensions.entries()) {
    yield { done: (0.05 * i) / dimensions.length, what: `projection: bytes of m = ${dimension}` };
    bytes.push(bytesOf(base, dimension, plan));
  }
  const fedAvgUp = trafficOf(fedAvg(), features, 1, ROUNDS).up;
  const result = () =>
    projectionResult({
      plan,
      begun,
      features,
      dimensions,
      bytes,
      fedAvgUp,
      found,
      bits: [bits.conclusion()],
    });
  for (const [t, seed] of seeds.entries()) {
    for (const [s, name] of spectra.entries()) {
      const at = (x: number) => 0.05 + (0.95 * (2 * t + s + x)) / (2 * seeds.length);
      const what = `projection: ${name} spectrum, trial ${t + 1} of ${seeds.length}`;
      yield { done: at(0), what };
      const setting: GeneratorSetting = name === 'flat' ? base : { ...base, spectrum: 'falling' };
      const draw = yield* progressPart([at(0), at(0.05)], what, drawnSiteBySite(setting, seed));
      const work = trialOf(draw, dimensions, seed, plan.ridge, bits);
      found[name].push(yield* progressPart([at(0.05), at(1)], what, work));
    }
    yield { done: 0.05 + (0.95 * (t + 1)) / seeds.length, what: 'projection', soFar: result() };
  }
  return result();
}

/** Table VII has 1000 features and the rest of the paper 100: a plan with the paper’s 100 is run with 1000. */
function featuresOf({ features }: RidgePlan): number {
  return features === defaultRidgePlan.features ? 1000 : features;
}

/** The m of the table, in proportion to d; m = d is no projection. */
function dimensionsOf(features: number): readonly number[] {
  const all = [50, 100, 200, 400, 600, 800, 1000].map((m) =>
    Math.max(1, Math.round((m * features) / 1000)),
  );
  return [...new Set(all)];
}

function* trialOf(
  draw: Draw,
  dimensions: readonly number[],
  seed: number,
  ridge: number,
  bits: SameBits,
): Work<ProjectionFound> {
  const { test, sites, setting } = draw;
  const { fused, central } = yield* share(0, 0.4, exactPair(draw, ridge));
  const smaller = dimensions.filter((m) => m < setting.features);
  const fits = yield* share(0.4, 0.75, projectedFits(draw, smaller, ridge, seed));
  const mses = fits.map((fit) => {
    const mse = mseOf(test, fit.fused);
    bits.compare(
      { weights: fit.fused, mse },
      { weights: fit.central, mse: mseOf(test, fit.central) },
    );
    return mse;
  });
  bits.compare(fused, central);
  const rivals = yield* share(0.75, 0.85, projectionRivals(draw, smaller, ridge, seed, fused.mse));
  const averaged = yield* share(0.85, 0.98, averagedMse(draw, ridge));
  const spectrum = siteSpectrum(sites);
  const rows = setting.sites * setting.trainRows;
  return {
    mses: [...mses, fused.mse],
    rivals,
    // Signal outside the projection acts as noise; m fitted columns use m of the n rows.
    foretold: dimensions.map((m) => {
      const noise = setting.noise ** 2 + leftOutShare(spectrum, m);
      return rows > m ? noise / (1 - m / rows) : Number.NaN;
    }),
    fedAvg: averaged,
    advised: advisedDimension(spectrum, 0.01),
  };
}

/** Test MSE of FedAvg; undefined if its steps are too long to converge. */
function* averagedMse(draw: Draw, ridge: number): Work<number | undefined> {
  const { sites, test, setting } = draw;
  const kernels = reproducibleKernels();
  const iterates =
    setting.trainRows < setting.features
      ? dualFedAvg(kernels, sites, ridge)
      : fedAvg().iterates(kernels, (yield* share(0, 0, clientsOneByOne(draw))).clients, ridge);
  let weights: Float64Array = new Float64Array(0);
  for (let round = 1; round <= ROUNDS; round++) {
    weights = iterates.next().value;
    if (weights.some((w) => !(Math.abs(w) < 1e6))) return undefined;
    if (round % 5 === 0) yield round / ROUNDS;
  }
  return mseOf(test, weights);
}

/** Bytes of one client’s upload, from encoded contributions; the number of rows does not change it. */
function bytesOf(
  setting: GeneratorSetting,
  dimension: number,
  { ridge, seed }: RidgePlan,
): ProjectionBytes {
  const [rows] = drawOf({ ...setting, sites: 1, trainRows: 4, testRows: 1 }, seed).sites;
  const features =
    dimension < setting.features
      ? { features: [{ kind: 'projection', dimension, seed } as const] }
      : {};
  const bytes = (arithmetic: 'exact' | 'compact') => {
    const agreed = agreement(ridgeStudy(setting, ridge, { arithmetic, ...features }));
    return signedBytes(siteContribution(agreed, numberedSite(0), rows!, createKernels()));
  };
  return { exact: bytes('exact'), compact: bytes('compact') };
}
