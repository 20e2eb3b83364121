import type { Conclusion } from '../paper-result.ts';

/** How many of someone's claims hold, in a sentence. */
export function tallyWords(of: Conclusion['of'], claims: readonly Conclusion[]): string {
  const holding = claims.filter(({ holds }) => holds).length;
  if (claims.length <= 1) {
    const whose = of === 'paper' ? 'The paper’s' : 'Our';
    if (claims.length === 0) return `${whose} claims are tried in other experiments.`;
    return `${whose} one claim ${holding === 1 ? 'holds' : 'does not hold'} here.`;
  }
  const count = holding === claims.length ? 'all' : holding === 0 ? 'none' : String(holding);
  const verb = holding === 1 ? 'holds' : 'hold';
  return `Of ${of === 'paper' ? 'the paper’s' : 'our own'} ${claims.length} claims ${count} ${verb} here.`;
}

/** A claim with the place the paper makes it at. */
export function placedClaim({ where, claim }: Conclusion): string {
  return where === undefined ? claim : `${where}: ${claim}`;
}
