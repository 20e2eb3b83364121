/** What docs/operations.md measures, at one number of columns. */
export type Constants = Readonly<Record<string, number>>;

const MASS = { kB: 1e3, MB: 1e6, GB: 1e9 };

/** Two digits, with commas. */
function amount(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 2 });
}

function bytes(value: number, unit: keyof typeof MASS): string {
  return `${amount(value / MASS[unit])} ${unit}`;
}

/** The row of n sites that come within h hours, as the page has it. */
export function capacityRow(d: number, n: number, h: number, constants: Constants): string[] {
  const { R, P, B, U, L, S, V } = constants;
  const seconds = 3600 * h;
  return [
    String(d),
    n.toLocaleString('en-US'),
    String(h),
    String(Math.ceil(n / (seconds * R))),
    P > 0 ? `${amount(n * P)} s` : '',
    bytes(n * (B + L), 'GB'),
    `${amount((8 * n * U) / seconds / 1e6)} Mbit/s`,
    amount(n / seconds),
    `${amount(n * S)} s`,
    bytes(n * V, 'MB'),
  ];
}

/** The last column of the tree: n devices in regions of m, each of them a site of one study above. */
export function treeColumn(n: number, m: number, constants: Constants): string[] {
  const { R, P, B, U, L, S, V } = constants;
  const regions = n / m;
  const within = (hours: number) => Math.ceil(n / (3600 * hours * R));
  return [
    regions.toLocaleString('en-US'),
    String(within(24)),
    String(within(1)),
    amount(n / 3600 / within(1)),
    `${amount(m / R)} s`,
    `${amount(m * S)} s`,
    bytes(m * (B + L), 'MB'),
    `${amount(regions / R)} s`,
    `${amount(regions * S)} s`,
    bytes(regions * U, 'MB'),
    bytes(regions * V, 'MB'),
    bytes(n * U, 'GB'),
    bytes(n * (B + L), 'GB'),
    `${amount((n * P) / 3600)} hours`,
    `${amount(m * S + regions / R + regions * S)} s`,
  ];
}
