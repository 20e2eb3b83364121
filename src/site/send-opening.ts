import type { StudyClient } from '../protocol/client.ts';
import type { StudyView } from '../protocol/messages.ts';
import type { SealedOpening, SiteOpening } from '../protocol/opening-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { sealDocument } from '../protocol/signature.ts';
import type { SiteStore } from './site-store.ts';

/** What this site is asked to open; refuses what it is not asked, or what it has not sent. Makes no request. */
export async function askedOpening(
  { opening, digest, state, you }: StudyView,
  store: Pick<SiteStore, 'acknowledged'>,
): Promise<SiteOpening> {
  const site = you?.site ?? '';
  const own = opening?.sites.find((one) => one.site === site);
  if (opening?.askedAt === undefined || own?.contributions === undefined || state !== 'closed') {
    throw new Refusal(
      'conflict',
      'nobody has asked this site to open what it has sent; nothing was sent',
      'open it only when the analyst asks',
    );
  }
  if (own.state !== 'silent') {
    throw new Refusal(
      'conflict',
      'the site has agreed before; nothing was sent',
      'look at the study for what was found',
    );
  }
  const receipts = await store.acknowledged(digest, site);
  const sent = new Set(receipts.map((receipt) => receipt.digest));
  const strange = own.contributions.find((one) => !sent.has(one.digest));
  if (strange !== undefined) {
    throw new Refusal(
      'not-allowed',
      `this site has no receipt of the contribution that it is asked to open, number ${strange.sequence}; nothing was sent`,
      'agree where the contribution was sent from, with the same key',
    );
  }
  const { contributions } = own;
  return { schema: 'suffice/opening@1', study: digest, site, contributions };
}

/** Signs and sends the site's word that these contributions may be opened; gives the word, and the study after it. */
export async function sendOpening(
  client: Pick<StudyClient, 'agreeToOpen'>,
  store: Pick<SiteStore, 'key'>,
  opening: SiteOpening,
): Promise<{ readonly signed: SealedOpening; readonly after: StudyView }> {
  const signed = sealDocument(opening, await store.key());
  return { signed, after: await client.agreeToOpen({ opening: signed }) };
}
