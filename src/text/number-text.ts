/** A number in the given number of significant digits, as a person would write it. */
export function significant(value: number, digits = 5): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf';
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(digits));
  const magnitude = Math.abs(rounded);
  if (magnitude < 1e-4 || magnitude >= 1e9) return rounded.toExponential(Math.max(0, digits - 2));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(magnitude)));
  return value.toFixed(decimals); // whole digits are never rounded away
}

/** A p-value from its natural logarithm, so that 1e-741 does not read as 0. */
export function probability(logP: number): string {
  if (Number.isNaN(logP)) return 'NaN';
  if (logP === Number.NEGATIVE_INFINITY) return '0';
  const exponent = Math.floor(logP / Math.LN10);
  if (exponent >= -4) return Math.exp(logP).toPrecision(3);
  const mantissa = Math.exp(logP - exponent * Math.LN10);
  const text = mantissa.toFixed(2);
  return text === '10.00' ? `1.00e${exponent + 1}` : `${text}e${exponent}`;
}

/** A p-value in a sentence: "p = 0.0123", "p < 1e-300". */
export function pPhrase(p: number): string {
  return p > 0 ? `p = ${probability(Math.log(p))}` : 'p < 1e-300';
}

/** Pads texts to one width with their decimal points under each other. */
export function alignDecimals(texts: readonly string[]): string[] {
  const split = texts.map((text) => {
    const at = text.search(/[.e]/);
    return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
  });
  const left = Math.max(...split.map(([whole]) => whole.length));
  const right = Math.max(...split.map(([, rest]) => rest.length));
  return split.map(([whole, rest]) => whole.padStart(left) + rest.padEnd(right));
}

/** 12345678 as 12,345,678, at most three decimals: toLocaleString('en-US') without its tables, which take 20 ms to load. */
export function grouped(count: number): string {
  if (Number.isNaN(count)) return 'NaN';
  const sign = count < 0 ? '-' : '';
  if (!Number.isFinite(count)) return `${sign}∞`;
  const [whole, fraction] = String(Number(Math.abs(count).toFixed(3))).split('.');
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${sign}${groups}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** The first names, and the number of the others. */
export function listed(names: readonly string[], most = 12): string {
  const rest = names.length - most;
  return rest > 1 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ');
}

/** An error as a share of the explained variance, in per cent; above 200 % the exact number does not matter. */
export function excessText(share: number): string {
  return share > 2 ? 'over 200 %' : `${significant(100 * share, 2)} %`;
}

/** The same as an estimate: "about 44 %", "over 200 %". */
export function aboutExcess(share: number): string {
  return `${share > 2 ? '' : 'about '}${excessText(share)}`;
}

/** 1.2 GB, 340 kB; below 1,000 in the smallest unit. */
export function byteText(bytes: number, smallest = 'B'): string {
  const units = [smallest, 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
