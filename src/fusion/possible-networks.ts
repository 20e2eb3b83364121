import type { SegmentLayout } from '../statistic/layout.ts';
import type { Statistic } from '../statistic/statistic.ts';
import { networkSums } from './network-numbers.ts';
import { impossibleLevels } from './sent-levels.ts';

/** Products are sums of float32: this much more than their squares allow is still rounding. */
const ROUNDING = 1.01;

/**
 * Why no training gives these numbers, if so: numbers of no rows, products that are larger than their squares, or
 * levels that are none.
 */
export function impossibleNetwork(statistic: Statistic<SegmentLayout>): string | undefined {
  const sums = networkSums(statistic);
  if (sums.rows === 0) {
    return statistic.values.every((word) => word === 0)
      ? undefined
      : 'there are numbers, and no rows';
  }
  const { segments } = statistic.layout;
  for (const { name, shape, fractionBits } of segments) {
    const broken =
      shape.kind === 'triangle' && isNoGram(sums.of(name), shape.width, 2 ** (1 - fractionBits));
    if (broken) return `the numbers of ${name} are not products of any rows`;
  }
  return impossibleLevels(sums, segments);
}

/** Whether a packed triangle breaks Cauchy–Schwarz, beyond `unit` on its diagonal. */
function isNoGram(packed: Float64Array, width: number, unit: number): boolean {
  const lengths = new Float64Array(width);
  for (let i = 0, at = 0; i < width; at += width - i, i++) {
    if (packed[at] < 0) return true;
    lengths[i] = Math.sqrt(packed[at] + unit);
  }
  for (let i = 0, at = 0; i < width; i++) {
    for (let j = i; j < width; j++, at++) {
      if (Math.abs(packed[at]) > ROUNDING * lengths[i] * lengths[j]) return true;
    }
  }
  return false;
}
