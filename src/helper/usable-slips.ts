import type { HelperParty } from '../aggregation/aggregation.ts';
import { seedIn } from '../aggregation/two-aggregators.ts';
import type { Agreement } from '../federate.ts';
import type { SignedSlip, Unusable } from '../protocol/helper-messages.ts';
import { isSignedSlip } from '../protocol/signed-contribution.ts';
import { fromBase64url } from '../text/base64url.ts';
import type { HelperKeys } from './helper-keys.ts';

/** A contribution whose site, signature and seal are right, with the seed of its mask. */
export interface UsableSlip {
  readonly slip: SignedSlip;
  readonly seed: Uint8Array;
}

/** Opens what can be opened, and says of the rest why not. */
export function openSlips(
  agreed: Agreement,
  { kem }: HelperParty,
  keys: HelperKeys,
  slips: readonly SignedSlip[],
): { readonly usable: readonly UsableSlip[]; readonly unusable: readonly Unusable[] } {
  const usable: UsableSlip[] = [];
  const unusable: Unusable[] = [];
  for (const slip of slips) {
    const seed = seedOf(agreed, kem, keys, slip);
    if (typeof seed === 'string') {
      unusable.push({ site: slip.site, sequence: slip.sequence, why: seed });
    } else usable.push({ slip, seed });
  }
  return { usable, unusable };
}

/** The seed of a contribution's mask, or why there is none. */
function seedOf(
  { digest, layout, aggregation: { roster = {}, grouping } }: Agreement,
  kem: HelperParty['kem'],
  { seals }: HelperKeys,
  slip: SignedSlip,
): Uint8Array | string {
  if (!Object.hasOwn(roster, slip.site)) return 'the site is not on the roster of the study';
  if (roster[slip.site] !== slip.seal.key) return 'it is signed with another key than the roster’s';
  const whole = { study: digest, ...slip };
  if (!isSignedSlip(whole)) return 'its signature is not valid';
  const sealed = fromBase64url(slip.sealed);
  const seed =
    sealed && seedIn(kem, seals[kem], layout, whole, sealed, grouping?.groupOf(slip.site));
  return seed ?? 'its seal cannot be opened: it is damaged, or was made for another contribution';
}
