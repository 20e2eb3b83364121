export type Range = readonly [low: number, high: number];

/**
 * A range widened by half its span, to round numbers, because other sites may have other extremes. It never
 * crosses 0, because many quantities cannot. [0, 1] stays: it is an indicator or a share.
 */
export function widenRange([low, high]: Range): Range {
  if (low === 0 && high === 1) return [low, high];
  const span = high - low || Math.abs(low) || 1;
  const step = 10 ** Math.max(-300, Math.floor(Math.log10(span)) - 1);
  // Minimum and maximum guard against rounding if the span is tiny compared with the values.
  const down = Math.min(low, outward(low - span / 2, step, 'down'));
  const up = Math.max(high, outward(high + span / 2, step, 'up'));
  return [low >= 0 ? Math.max(0, down) : down, low < 0 && high <= 0 ? Math.min(0, up) : up];
}

/** The range with an end at 0 moved to half the nearest value, for functions that exclude 0 (a logarithm). */
export function offZero([low, high]: Range, [nearLow, nearHigh]: Range): Range {
  const half = (value: number, direction: 'down' | 'up') =>
    outward(value / 2, 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1), direction);
  return [
    low === 0 && nearLow > 0 ? half(nearLow, 'down') : low,
    high === 0 && nearHigh < 0 ? half(nearHigh, 'up') : high,
  ];
}

/** The next multiple of a power of ten, in its shortest decimal form. */
function outward(value: number, step: number, direction: 'down' | 'up'): number {
  const count = direction === 'down' ? Math.floor(value / step) : Math.ceil(value / step);
  return Number((count * step).toPrecision(14)) + 0; // −0 becomes 0
}
