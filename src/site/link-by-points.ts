import { useSodiumRistretto255 } from '../cipher/sodium-ristretto255.ts';
import type { PartyStep } from '../protocol/party-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import {
  countMessage,
  linkedPart,
  messageBytes,
  untrusted,
} from '../vertical/exchange-messages.ts';
import { tooFewPeople } from '../vertical/link-and-deal.ts';
import { POINT_BYTES, type PointWork } from '../vertical/link-points.ts';
import type { PartyState } from '../vertical/party-state.ts';
import {
  answerBytes,
  answeredPoints,
  countBytes,
  offeredPoints,
  openedPoints,
  pointLinks,
  pointSecret,
  returnedPoints,
  sealedPoints,
} from '../vertical/point-links.ts';
import { workInSlices } from '../vertical/point-work.ts';
import { noteSent, receiveMessage, sendMessage } from './exchange-mail.ts';
import type { LinkedByParty, Linking } from './link-by-tokens.ts';

/**
 * Links rows by points that both parties multiply by a secret of their own. The helper deals and sees nothing about a key. A party answers
 * one set of points a study: what it sends is noted before it is sent.
 */
export async function linkByPoints(
  { exchange, terms, known, key, rows }: Linking,
  begun: PartyState,
): Promise<LinkedByParty> {
  await useSodiumRistretto255();
  const { study } = terms;
  const { site } = exchange.membership;
  const other = study.parties.find((party) => party !== site)!;
  const secret = pointSecret(begun, known);
  const passes = study.columnsAt.passes.length;
  const compute = <T>(step: PartyStep, parts: number, work: PointWork<T>): Promise<T> =>
    workInSlices(
      work,
      (done) => exchange.progress?.({ step, doing: 'computing', party: '', done, parts }),
      exchange.signal,
    );
  const send = async (state: PartyState, step: 'points' | 'doubled', bytes: Uint8Array) => {
    const cause = step === 'doubled' ? `the points of ${other} have changed` : undefined;
    const noted = await noteSent(exchange, state, step, bytes, cause);
    await sendMessage(exchange, step, other, bytes);
    return noted;
  };
  const open = async (state: PartyState, step: 'points' | 'doubled') =>
    openedPoints(terms, state, known, other, step, await receiveMessage(exchange, step, other));

  const own = rows.block.rows * passes;
  const { points, order } = await compute('points', own, offeredPoints(study, rows, secret));
  let state = await send(
    begun,
    'points',
    sealedPoints(terms, begun, known, other, 'points', points.bytes),
  );
  const received = await open(state, 'points');
  const theirs = received.length / POINT_BYTES;
  const answered = await compute('doubled', theirs, answeredPoints(study, other, received, secret));
  const proved = answerBytes(study, site, received, answered, secret);
  const answer = await compute('doubled', theirs, proved);
  state = await send(state, 'doubled', sealedPoints(terms, state, known, other, 'doubled', answer));
  const back = await open(state, 'doubled');
  const returned = await compute('doubled', own, returnedPoints(study, points, other, back));
  const links = pointLinks(study, site, rows, returned, answered);
  const { people } = links.count;
  if (people < study.fewest) {
    const { problem, remedy } = tooFewPeople(study.fewest);
    throw new Refusal('not-allowed', `${problem}; no column was sent`, remedy);
  }
  const message = messageBytes(countMessage(terms, state, known, countBytes(links.count), key));
  state = await noteSent(exchange, state, 'count', message);
  await sendMessage(exchange, 'count', '', message);
  const dealt = linkedPart(terms, state, people, await receiveMessage(exchange, 'links', site));
  if (dealt.part.people !== people || dealt.part.rows.some((row, k) => row !== k)) {
    throw untrusted('the helper has changed the order of the linked people');
  }
  const part = { ...dealt.part, passes: links.passes, rows: links.rows };
  return { part, set: dealt.set, order: links.rows.map((place) => order[place]), state };
}
