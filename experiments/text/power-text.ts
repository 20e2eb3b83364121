const RAISED: Readonly<Record<string, string>> = {
  '-': '⁻',
  ...Object.fromEntries([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((raised, digit) => [String(digit), raised])),
};

/** A number times a power of ten: 1.3·10⁻⁹. */
export function timesPower(factor: string, power: number): string {
  const raised = [...String(power)].map((sign) => RAISED[sign] ?? sign).join('');
  return `${factor}·10${raised}`;
}
