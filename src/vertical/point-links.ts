import { ristrettoGroup } from '../cipher/ristretto255.ts';
import { digestBytes } from '../study/digest.ts';
import { boundedJson } from '../text/bounded-json.ts';
import { decryptFrom, derivedBytes, encryptTo } from './exchange-keys.ts';
import { type ExchangeTerms, type PartyBoxes, secretOf, untrusted } from './exchange-messages.ts';
import {
  doubledPoints,
  inPointOrder,
  type LinkPoints,
  MOST_POINTS,
  ownPoints,
  POINT_BYTES,
  type PointWork,
  pointsAt,
  pointsProblem,
  tokensOfPoints,
} from './link-points.ts';
import { linkRows } from './link-rows.ts';
import { keyCounts, keysOf } from './party.ts';
import type { PartyRows } from './party-rows.ts';
import type { PartyState } from './party-state.ts';
import { isSameNumber, PROOF_BYTES, sameNumberProof } from './same-number.ts';
import type { VerticalStudy } from './vertical-study.ts';

/** The two messages between parties that link rows by points. */
export type PointsStep = 'points' | 'doubled';

/** A party's points in the order in which it offers them, and the rows behind them. */
export interface OfferedPoints {
  readonly points: LinkPoints;
  readonly order: Uint32Array;
}

/** The people that two parties have linked by points, as one of them sees it. */
export interface PointLinks {
  /** The party's rows of these people, by their places among those offered, in one common order. */
  readonly rows: Uint32Array;
  readonly passes: readonly { readonly linked: number; readonly duplicates: number }[];
  /** The same at both parties if both saw the same points: people, and a digest of all points and links. */
  readonly count: PointCount;
}

/** What both parties tell the helper: how many people are linked, and a digest of which. */
export interface PointCount {
  readonly people: number;
  readonly links: string;
}

/** The secret behind a party's scalar and random points. It follows from the state, so a killed process goes on with the same points. */
export function pointSecret(state: PartyState, { digest }: PartyBoxes): Uint8Array {
  return derivedBytes(secretOf(state), `suffice/vertical@1 points ${state.study} ${digest}`);
}

/** The points of a party's complete rows, in an order that says nothing about its file. */
export function* offeredPoints(
  study: VerticalStudy,
  rows: PartyRows,
  secret: Uint8Array,
): PointWork<OfferedPoints> {
  const passes = study.columnsAt.passes.length;
  const count = rows.block.rows;
  const points = yield* ownPoints(secret, study.digest, count, passes, keysOf(study, rows));
  const order = inPointOrder(points);
  return { points: pointsAt(points, order), order };
}

/** The points of the other party, times the own scalar; refuses what are no points, by the name of the sender. */
export function* answeredPoints(
  { columnsAt }: VerticalStudy,
  from: string,
  received: Uint8Array,
  secret: Uint8Array,
): PointWork<LinkPoints> {
  const doubled = yield* doubledPoints(secret, received, columnsAt.passes.length);
  if ('wrong' in doubled) throw wrongPoints(from, doubled.wrong);
  return doubled;
}

/** What goes back to the other party: its points times the own number, and this party's proof that it was one number. */
export function* answerBytes(
  { digest }: VerticalStudy,
  party: string,
  received: Uint8Array,
  answered: LinkPoints,
  secret: Uint8Array,
): PointWork<Uint8Array> {
  const proof = yield* sameNumberProof(secret, { study: digest, party }, received, answered.bytes);
  const bytes = new Uint8Array(answered.bytes.length + PROOF_BYTES);
  bytes.set(answered.bytes);
  bytes.set(proof, answered.bytes.length);
  return bytes;
}

/** The own points as they came back; refuses others than the own ones, all times one number. */
export function* returnedPoints(
  { digest }: VerticalStudy,
  { rows, passes, bytes: own }: LinkPoints,
  from: string,
  answer: Uint8Array,
): PointWork<LinkPoints> {
  if (answer.length !== own.length + PROOF_BYTES) {
    throw wrongPoints(from, 'they have a wrong length');
  }
  const bytes = answer.slice(0, own.length);
  const problem = pointsProblem(bytes, passes);
  if (problem !== undefined) throw wrongPoints(from, problem.wrong);
  for (let at = 0; at < bytes.length; at += POINT_BYTES) {
    if (!ristrettoGroup().isElement(bytes.subarray(at, at + POINT_BYTES))) {
      throw wrongPoints(from, 'one of them is no point');
    }
    yield at / POINT_BYTES + 1;
  }
  const owner = { study: digest, party: from };
  if (!(yield* isSameNumber(owner, own, bytes, answer.subarray(own.length)))) {
    throw wrongPoints(from, 'they are not your points times one number');
  }
  return { rows, passes, bytes };
}

function wrongPoints(from: string, wrong: string) {
  return untrusted(`the points of ${from} cannot be used: ${wrong}`);
}

/** Links rows whose points are the same once both parties have multiplied them: pass by pass, the first match, each row once. */
export function pointLinks(
  study: VerticalStudy,
  party: string,
  rows: PartyRows,
  own: LinkPoints,
  other: LinkPoints,
): PointLinks {
  const isFirst = study.parties[0] === party;
  const [mine, theirs] = [own, other].map(tokensOfPoints);
  const tokens = isFirst ? [mine, theirs] : [theirs, mine];
  const linked = linkRows(tokens);
  const counts = keyCounts(study, rows).passes;
  const order = linked.rows.map((places) => Array.from(places));
  const links = new TextEncoder().encode(
    JSON.stringify([study.digest, order, ...tokens.map(({ bytes }) => digestBytes(bytes))]),
  );
  return {
    rows: linked.rows[isFirst ? 0 : 1],
    passes: linked.passes.map(({ linked: people }, k) => ({
      linked: people,
      duplicates: counts[k].duplicates,
    })),
    count: { people: linked.rows[0].length, links: digestBytes(links) },
  };
}

/** Points for the other party alone. */
export function sealedPoints(
  { study }: ExchangeTerms,
  state: PartyState,
  { boxes, digest }: PartyBoxes,
  to: string,
  use: PointsStep,
  bytes: Uint8Array,
): Uint8Array {
  const between = { study: study.digest, from: state.party, to };
  const sealed = encryptTo(secretOf(state), boxes[to], between, { use, keys: digest }, bytes);
  if (sealed === undefined) throw untrusted(`the key of ${to} is none`);
  return sealed;
}

/** The points that the other party encrypted to this one. */
export function openedPoints(
  { study }: ExchangeTerms,
  state: PartyState,
  { boxes, digest }: PartyBoxes,
  from: string,
  use: PointsStep,
  sealed: Uint8Array,
): Uint8Array {
  const between = { study: study.digest, from, to: state.party };
  const plain = decryptFrom(secretOf(state), boxes[from], between, { use, keys: digest }, sealed);
  if (plain === undefined) throw untrusted(`what ${from} sent to this party was changed`);
  return plain;
}

export function countBytes({ people, links }: PointCount): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ people, links }));
}

/** The count in what a party encrypted to the helper; undefined if it is none. */
export function countIn(bytes: Uint8Array): PointCount | undefined {
  try {
    const { people, links } = boundedJson(new TextDecoder().decode(bytes)) as PointCount;
    const isNumber = Number.isSafeInteger(people) && people >= 0 && people <= MOST_POINTS;
    const fits = isNumber && typeof links === 'string';
    return fits ? { people, links } : undefined;
  } catch {
    return undefined;
  }
}
