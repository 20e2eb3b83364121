import { refusingMismatches } from '../protocol/judge-offer.ts';
import type { Offer, OfferAnswer } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { isPublicKey } from '../protocol/signature.ts';
import { requireSite } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { siteOf } from './invitations.ts';
import { inStudyTogether } from './study-session.ts';
import type { SitesTable } from './tables.ts';

/** Says whether a site's columns match the study, and stores the site's key before its first contribution. */
export async function answerOffer(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  offer: Offer,
): Promise<OfferAnswer> {
  const site = requireSite(caller, id);
  if (!isPublicKey(offer.key)) {
    throw new Refusal(
      'bad-request',
      'the key is not an Ed25519 public key',
      'send 32 bytes as base64url',
    );
  }
  const mismatches = refusingMismatches(await context.agreed(id), offer.columns);
  const accepted = mismatches.length === 0;
  await inStudyTogether(context, id, site, async (session) => {
    const known = await siteOf(session, site);
    if (known.key !== null && known.key !== offer.key) {
      throw new Refusal(
        'conflict',
        'the site has signed with another key before',
        'use the folder with the first key, or ask for a new invitation that forgets it',
      );
    }
    const state = afterOffer(known, accepted);
    // The same answer as before is not logged again.
    if (known.key === offer.key && known.state === state) return;
    session.sites.change(known, {
      state,
      ...(known.key === null ? { key: offer.key } : {}),
    });
    if (accepted) session.record('offer-accepted', { site, key: offer.key });
    else {
      const columns = mismatches.map(({ column }) => column);
      session.record('offer-declined', { site, key: offer.key, columns });
    }
  });
  return { schema: 'suffice/offer-answer@1', accepted, mismatches };
}

function afterOffer({ state, key }: SitesTable, accepted: boolean): SitesTable['state'] {
  if (state === 'contributed' || state === 'revoked') return state;
  // A repeated, delayed request must not make the study wait for a site that has withdrawn.
  if (state === 'withdrawn' && key !== null && accepted) return state;
  return accepted ? 'ready' : 'invited';
}
