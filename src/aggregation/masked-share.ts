import { entriesOf, type Layout, wordsOf } from '../statistic/layout.ts';
import type { Share } from './aggregation.ts';

/** Why a masked share cannot be valid: masked numbers look random, so only their count can be wrong. */
export function implausibleMasked(share: Share, layout: Layout): string | undefined {
  if (!('values' in share)) return 'the numbers are sealed';
  return share.values.length === entriesOf(layout) * wordsOf(layout)
    ? undefined
    : 'the number of entries is wrong';
}
