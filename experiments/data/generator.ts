import { normals } from '../../src/random/normals.ts';
import { seededWords } from '../../src/random/seeded-words.ts';

/** Settings of the rows of §V-A of arXiv 2601.08216. */
export interface GeneratorSetting {
  readonly sites: number;
  /** Training rows of each site. */
  readonly trainRows: number;
  /** Held-out rows of each site. */
  readonly testRows: number;
  readonly features: number;
  /** γ: distance of the sites' means from 0. */
  readonly heterogeneity: number;
  /** Standard deviation of the error: 0.1 for the paper's N(0, 0.1), because 0.01 is the smallest MSE in its tables. */
  readonly noise: number;
  /**
   * Standard deviations of the features: about 1, as in the paper, unless they are `falling` like 1, 1/2, 1/3, … with a mean
   * square of 1, so that the response has the same variance.
   */
  readonly spectrum?: 'falling';
}

/** K = 20 sites of 500 rows, 20 % held out, d = 100, γ = 0.5. */
export const paperSetting: GeneratorSetting = {
  sites: 20,
  trainRows: 400,
  testRows: 100,
  features: 100,
  heterogeneity: 0.5,
  noise: 0.1,
};

/** Rows as columns. */
export interface Rows {
  readonly count: number;
  readonly features: readonly Float64Array[];
  readonly response: Float64Array;
}

export interface SiteRows {
  readonly train: Rows;
  readonly test: Rows;
}

/** Range of a feature's standard deviation at a site: our reading of "mild variance heterogeneity". */
const [SMALLEST_SD, LARGEST_SD] = [0.8, 1.2];

/**
 * The sites one after another: w of length 1; the mean of site k at γ·uₖ, uₖ of length 1; independent features, each with
 * its own standard deviation at each site, uniform in [0.8, 1.2]; b = a·w + error.
 */
export function* drawSites(setting: GeneratorSetting, seed: number): Generator<SiteRows> {
  const random = seededWords(seed);
  const normal = normals(random);
  const { features, heterogeneity } = setting;
  const weights = unitVector(features, normal);
  const scales = scalesOf(setting);
  for (let k = 0; k < setting.sites; k++) {
    const means = unitVector(features, normal).map((u) => heterogeneity * u);
    const spreads = scales.map(
      (scale) => scale * (SMALLEST_SD + (LARGEST_SD - SMALLEST_SD) * (random() / 2 ** 32)),
    );
    const draw = (count: number) =>
      drawRows(count, { means, spreads, weights, noise: setting.noise }, normal);
    yield { train: draw(setting.trainRows), test: draw(setting.testRows) };
  }
}

/** Standard deviations of the features, before the variation between sites. */
function scalesOf({ features, spectrum }: GeneratorSetting): Float64Array {
  if (spectrum === undefined) return new Float64Array(features).fill(1);
  const fall = Float64Array.from({ length: features }, (_, j) => 1 / (j + 1));
  const square = fall.reduce((sum, f) => sum + f * f, 0) / features;
  return fall.map((f) => f / Math.sqrt(square));
}

function unitVector(length: number, normal: () => number): Float64Array {
  const vector = Float64Array.from({ length }, normal);
  const norm = Math.hypot(...vector);
  return vector.map((v) => v / norm);
}

interface SiteLaw {
  readonly means: Float64Array;
  readonly spreads: Float64Array;
  readonly weights: Float64Array;
  readonly noise: number;
}

function drawRows(count: number, law: SiteLaw, normal: () => number): Rows {
  const { means, spreads, weights, noise } = law;
  const features = Array.from(means, () => new Float64Array(count));
  const response = new Float64Array(count);
  for (let r = 0; r < count; r++) response[r] = noise * normal();
  features.forEach((column, j) => {
    for (let r = 0; r < count; r++) {
      const value = means[j]! + spreads[j]! * normal();
      column[r] = value;
      response[r]! += weights[j]! * value;
    }
  });
  return { count, features, response };
}
