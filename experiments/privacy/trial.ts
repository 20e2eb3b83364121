import { agreement } from '../../src/federate.ts';
import type { LinearStatistic } from '../../src/statistic/statistic.ts';
import { drawSites, type GeneratorSetting, type Rows } from '../data/generator.ts';
import { nonPrivate, range, siteStatistic, studyOf, termsOf } from './one-shot.ts';

/** One draw of a setting, with data that every method shares. */
export interface PrivacyTrial {
  readonly setting: GeneratorSetting;
  readonly seed: number;
  /** The sites' exact private statistics: the same for every ε. */
  readonly statistics: readonly LinearStatistic[];
  readonly test: Rows;
  /** The training rows, drawn again on first use: most methods do not need them. */
  readonly train: () => readonly Rows[];
  /** Test MSE of the exact ridge regression over all sites. */
  readonly nonPrivate: number;
}

/** Draws a setting and reduces it site by site; the rows themselves are not kept. */
export function prepare(setting: GeneratorSetting, seed: number): PrivacyTrial {
  const hidden = agreement(studyOf(setting.features, termsOf(1)));
  const open = agreement({ ...studyOf(setting.features, null), arithmetic: 'compact' });
  const statistics: LinearStatistic[] = [];
  const plain: LinearStatistic[] = [];
  const held: Rows[] = [];
  for (const { train, test } of drawSites(setting, seed)) {
    statistics.push(siteStatistic(hidden, train));
    plain.push(siteStatistic(open, train));
    held.push(test);
  }
  const test = pooled(held);
  let drawn: readonly Rows[] | undefined;
  return {
    setting,
    seed,
    statistics,
    test,
    train() {
      drawn ??= Array.from(drawSites(setting, seed), ({ train }) => train);
      return drawn;
    },
    nonPrivate: testError(test, nonPrivate(plain)).mse,
  };
}

/** Rows of several sites as those of one site; the sums are the same. */
export function pooled(parts: readonly Rows[]): Rows {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const join = (columnOf: (part: Rows) => Float64Array) => {
    const column = new Float64Array(count);
    let at = 0;
    for (const part of parts) {
      column.set(columnOf(part), at);
      at += part.count;
    }
    return column;
  };
  return {
    count,
    features: parts[0]!.features.map((_, j) => join((part) => part.features[j]!)),
    response: join((part) => part.response),
  };
}

/** Mean squared error of predictions, as they are and capped to the codebook's range of the response. */
export function testError(
  { count, features, response }: Rows,
  weights: Float64Array,
): { readonly mse: number; readonly capped: number } {
  const fitted = new Float64Array(count);
  features.forEach((column, j) => {
    for (let r = 0; r < count; r++) fitted[r]! += weights[j]! * column[r]!;
  });
  let mse = 0;
  let capped = 0;
  for (let r = 0; r < count; r++) {
    const within = Math.max(range[0], Math.min(range[1], fitted[r]!));
    mse += (response[r]! - fitted[r]!) ** 2 / count;
    capped += (response[r]! - within) ** 2 / count;
  }
  return { mse, capped };
}
