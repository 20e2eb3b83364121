/** More digits than decide how a double is rounded. */
const ALL_DIGITS = 60;

/** A number with significant digits as C's %g and R's formatC write it: 0.5, 100, 1e+03; infinity is " Inf". */
export function significantText(value: number, digits: number): string {
  if (!Number.isFinite(value)) return value > 0 ? ' Inf' : '-Inf';
  if (value === 0) return '0';
  const { kept, power } = roundedDigits(Math.abs(value), digits);
  const minus = value < 0 ? '-' : '';
  if (power >= -4 && power < digits) return minus + trimmed(fixedText(kept, power));
  const sign = power < 0 ? '-' : '+';
  const mantissa = trimmed(`${kept[0]}.${kept.slice(1)}`);
  return `${minus}${mantissa}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** The first digits, and the power of ten of the first one. Halves go to the even digit, as in C; JavaScript rounds them up. */
function roundedDigits(
  value: number,
  digits: number,
): { readonly kept: string; readonly power: number } {
  const [mantissa, exponent] = value.toExponential(ALL_DIGITS).split('e') as [string, string];
  const all = mantissa.replace('.', '');
  const half = `5${'0'.repeat(all.length - digits - 1)}`;
  const rest = all.slice(digits);
  const first = BigInt(all.slice(0, digits));
  const isUp = rest > half || (rest === half && first % 2n === 1n);
  const kept = String(isUp ? first + 1n : first);
  const isLonger = kept.length > digits;
  return { kept: kept.slice(0, digits), power: Number(exponent) + (isLonger ? 1 : 0) };
}

function fixedText(kept: string, power: number): string {
  if (power < 0) return `0.${'0'.repeat(-power - 1)}${kept}`;
  return `${kept.slice(0, power + 1)}.${kept.slice(power + 1)}`;
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0*$/, '') : text;
}
