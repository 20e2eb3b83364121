/** Digits that a double surely has. */
const SURE_DIGITS = 15;
/** Powers beyond this one leave the range of doubles. */
const MOST_DECIMALS = 300;

/**
 * A double rounded to decimals as R 4 does it: of the two neighbours with these decimals the nearer one, as doubles; of two
 * equally near ones the even one. `decimals` may be negative: −1 rounds to tens.
 */
export function roundAsR(value: number, decimals: number): number {
  if (value === 0 || !Number.isFinite(value)) return value;
  if (decimals === 0) return roundToEven(value);
  // By its text: the engine's logarithm may be off near a power of ten.
  const exponent = Number(value.toExponential().split('e')[1]);
  const digits = decimals + exponent + 1;
  if (digits > SURE_DIGITS) return value;
  if (digits < 0) return 0;
  const power = Number(`1e${Math.min(MOST_DECIMALS, Math.abs(decimals))}`);
  const scaled = decimals > 0 ? value * power : value / power;
  const unscaled = (whole: number) => (decimals > 0 ? whole / power : whole * power);
  const below = Math.floor(scaled);
  const [low, high] = [unscaled(below), unscaled(Math.ceil(scaled))];
  const [down, up] = [value - low, high - value];
  return down < up || (down === up && below % 2 === 0) ? low : high;
}

function roundToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest === 0.5) return below % 2 === 0 ? below : below + 1;
  return rest < 0.5 ? below : below + 1;
}
