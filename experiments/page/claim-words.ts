import type { Conclusion } from '../paper-result.ts';

/** How many of someone's claims hold, in a sentence. */
export function tallyWords(of: Conclusion['of'], claims: readonly Conclusion[]): string {
  const holding = claims.filter(({ holds }) => holds).length;
  const whose = of === 'paper' ? 'the paper’s' : 'our own';
  if (claims.length === 0) return `There are none of ${whose} claims.`;
  const count = holding === claims.length ? 'all' : holding === 0 ? 'none' : String(holding);
  return `Of ${whose} ${claims.length} ${claims.length === 1 ? 'claim' : 'claims'} ${count} ${holding === 1 ? 'holds' : 'hold'} here.`;
}

/** A claim with the place the paper makes it at. */
export function placedClaim({ where, claim }: Conclusion): string {
  return where === undefined ? claim : `${where}: ${claim}`;
}
