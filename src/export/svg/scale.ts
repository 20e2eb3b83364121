/** Positions of values along an axis, and its ticks. */
export interface Scale {
  /** Pixels. */
  at(value: number): number;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
}

type Pair = readonly [number, number];

/** A linear scale; the ticks are multiples of 1, 2 or 5 times a power of ten, about `count` of them. */
export function linearScale(domain: Pair, range: Pair, count: number): Scale {
  const bounds = widened(domain);
  const step = niceStep((bounds[1] - bounds[0]) / count);
  return {
    at: (value) => placed(value, bounds, range),
    ticks: multiples(bounds, step).map((k) => ({ value: k * step, text: tickText(k, step) })),
  };
}

/** A logarithmic scale of positive values; the ticks are powers of ten, about `count` of them. */
export function logScale(domain: Pair, range: Pair, count: number): Scale {
  const decades = widened([Math.log10(domain[0]), Math.log10(domain[1])]);
  const stride = Math.max(1, Math.ceil((decades[1] - decades[0]) / count));
  return {
    at: (value) => placed(Math.log10(value), decades, range),
    ticks: multiples(decades, stride).map((k) => ({
      value: 10 ** (k * stride),
      text: powerText(k * stride),
    })),
  };
}

function placed(value: number, [low, high]: Pair, [from, to]: Pair): number {
  return from + ((value - low) / (high - low)) * (to - from);
}

/** The integers k with k·step between the bounds, up to rounding. */
function multiples([low, high]: Pair, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => first + k);
}

/** The smallest interval around all finite values; around 0 where there are none. */
export function extent(values: readonly number[]): [number, number] {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return [0, 0];
  return finite.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [finite[0]!, finite[0]!],
  );
}

function widened([low, high]: Pair): Pair {
  if (high > low) return [low, high];
  const reach = Math.abs(low) / 10 || 1;
  return [low - reach, high + reach];
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const mantissa = rough / power;
  if (mantissa < 1.5) return power;
  if (mantissa < 3.5) return 2 * power;
  return mantissa < 7.5 ? 5 * power : 10 * power;
}

function tickText(k: number, step: number): string {
  const value = k * step;
  if (k === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || (step < 1e-4 && size < 1e-3)) {
    // Enough digits to differ from the next tick.
    const digits = Math.max(1, Math.floor(Math.log10(size)) - Math.floor(Math.log10(step)) + 1);
    return Number(value.toPrecision(Math.min(15, digits)))
      .toExponential()
      .replace('e+', 'e');
  }
  const text = value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return text.replace('-', '−');
}

function powerText(power: number): string {
  if (power >= -3 && power <= 4) return String(Number(`1e${power}`));
  return `1e${power}`.replace('-', '−');
}
