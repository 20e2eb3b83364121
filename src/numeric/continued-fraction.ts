/** first + α₁/(β₁ + α₂/(β₂ + …)), evaluated forwards until it no longer changes (Lentz 1976). */
export function continuedFraction(
  first: number,
  alpha: (n: number) => number,
  beta: (n: number) => number,
): number {
  let value = first;
  let c = first;
  let d = 0;
  for (let n = 1; n < 1_000_000; n++) {
    d = 1 / (beta(n) + alpha(n) * d);
    c = beta(n) + alpha(n) / c;
    const change = c * d;
    value *= change;
    if (Math.abs(change - 1) < 2 ** -53) break;
  }
  return value;
}
