import type { Conclusion } from '../paper-result.ts';

/** How many claims of the paper, or of ours, hold, as a sentence. */
export function tallyText(of: Conclusion['of'], claims: readonly Conclusion[]): string {
  const holding = claims.filter(({ holds }) => holds).length;
  if (claims.length <= 1) {
    const whose = of === 'paper' ? 'The paper’s' : 'Our';
    if (claims.length === 0) return `${whose} claims are tried in other experiments.`;
    return `${whose} one claim ${holding === 1 ? 'holds' : 'does not hold'} here.`;
  }
  const counts = new Map([
    [0, 'none'],
    [claims.length, 'all'],
  ]);
  const count = counts.get(holding) ?? String(holding);
  const verb = holding === 1 ? 'holds' : 'hold';
  return `Of ${of === 'paper' ? 'the paper’s' : 'our own'} ${claims.length} claims ${count} ${verb} here.`;
}

/** A claim with its place in the paper. */
export function placedClaim({ where, claim }: Conclusion): string {
  return where === undefined ? claim : `${where}: ${claim}`;
}
