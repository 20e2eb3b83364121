/** A number with significant digits as C's %g and R's formatC write it: 0.5, 100, 1e+03; infinity is " Inf". */
export function significantText(value: number, digits: number): string {
  if (!Number.isFinite(value)) return value > 0 ? ' Inf' : '-Inf';
  if (value === 0) return '0';
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < digits) return trimmed(value.toFixed(digits - 1 - power));
  const sign = power < 0 ? '-' : '+';
  return `${trimmed(mantissa)}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
