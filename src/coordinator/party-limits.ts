import type { Kysely } from 'kysely';
import type { Agreement } from '../federate.ts';
import { PART_BYTES, type PartyStep } from '../protocol/party-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { MOST_POINTS, POINT_BYTES } from '../vertical/link-points.ts';
import { verticalStudy } from '../vertical/vertical-study.ts';
import type { Tables } from './tables.ts';

/** Most parts of the tokens of all parties together: a helper takes a request of 256 MiB. */
const TOKEN_PARTS = 127;

/** Most parts of the points of a party, and one for the seal. */
const POINT_PARTS = Math.ceil((MOST_POINTS * POINT_BYTES) / PART_BYTES) + 1;

/** A message that a party begins to send. */
export interface BegunMessage {
  readonly study: string;
  readonly step: PartyStep;
  readonly sender: string;
  readonly parts: number;
}

/** Refuses a message that is longer than any honest one, before its first part is stored: a party must not fill the store. */
export async function refuseLongMessage(
  db: Kysely<Tables>,
  agreed: Agreement,
  { study, step, sender, parts }: BegunMessage,
): Promise<void> {
  // Keys and secrets of twenty parties have a few kilobytes.
  if (step === 'keys' || step === 'secret' || step === 'count')
    return requireAtMost(step, parts, 1);
  if (step === 'points') return requireAtMost(step, parts, POINT_PARTS);
  const byPoints = agreed.aggregation.columnsAt?.linkage === 'ecdh';
  const begun = await db
    .selectFrom('party_messages')
    .select(['sender', 'parts'])
    .where('study', '=', study)
    .where('step', '=', byPoints ? 'points' : 'tokens')
    .groupBy(['sender', 'parts'])
    .execute();
  const partsOf = (isCounted: (name: string) => boolean) =>
    begun.reduce((sum, one) => sum + (isCounted(one.sender) ? Number(one.parts) : 0), 0);
  if (step === 'tokens') {
    const others = partsOf((name) => name !== sender);
    return requireAtMost(step, parts, Math.max(0, TOKEN_PARTS - others));
  }
  // Points come back as many as they were sent, with a proof of 96 bytes.
  if (step === 'doubled') {
    const others = partsOf((name) => name !== sender);
    return requireAtMost(step, parts, others === 0 ? 0 : others + 1);
  }
  // A token in base64, and a point, has more bytes than an entry of a column, so columns × tokens bounds what a party sends; and a part for the seal.
  const own = partsOf((name) => name === sender);
  const columns = verticalStudy(agreed).columns.length;
  requireAtMost(step, parts, own === 0 ? 0 : own * columns + 1);
}

function requireAtMost(step: PartyStep, parts: number, most: number): void {
  if (parts <= most) return;
  throw new Refusal(
    'too-large',
    `the message is longer than the ${step} of a party can be: ${parts} parts of ${PART_BYTES} bytes, at most ${most}`,
    'check the file; split a larger study, or ask for fewer passes of keys',
  );
}
