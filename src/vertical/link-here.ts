import { FailureError } from '../failure.ts';
import type { ForHelper } from '../protocol/party-messages.ts';
import type { Sealed, SigningKey } from '../protocol/signature.ts';
import {
  countMessage,
  type ExchangeTerms,
  linkedPart,
  linkSecret,
  messageBytes,
  type PartyBoxes,
  secretMessage,
  tokensMessage,
} from './exchange-messages.ts';
import { answerLinks, type LinkerKeys, openTokens } from './helper-links.ts';
import { tooFewPeople } from './link-and-deal.ts';
import type { LinkedPart } from './linked-part.ts';
import { offeredTokens } from './party.ts';
import type { PartyRows } from './party-rows.ts';
import type { PartyState } from './party-state.ts';
import {
  answerBytes,
  answeredPoints,
  countBytes,
  offeredPoints,
  openedPoints,
  type PointsStep,
  pointLinks,
  pointSecret,
  returnedPoints,
  sealedPoints,
} from './point-links.ts';
import { workAtOnce } from './point-work.ts';

/** Parties and a helper in one process. */
export interface PartiesHere {
  readonly terms: ExchangeTerms;
  readonly helper: LinkerKeys;
  readonly known: PartyBoxes;
  readonly parties: readonly {
    readonly state: PartyState;
    readonly key: SigningKey;
    readonly rows: PartyRows;
  }[];
}

/** The linked rows of one party. */
export interface LinkedHere {
  readonly part: LinkedPart;
  readonly set: string;
  readonly order: Uint32Array;
  /** Bytes that the party sent to link its rows. */
  readonly bytes: number;
}

/** Links the rows of parties in one process, by tokens or by points: every message is made, sealed, opened and checked. */
export function linkHere(here: PartiesHere): LinkedHere[] {
  return here.terms.study.columnsAt.linkage === 'ecdh' ? byPoints(here) : byTokens(here);
}

function byTokens(here: PartiesHere): LinkedHere[] {
  const { terms, known, parties } = here;
  const [first] = parties;
  const secret = messageBytes(secretMessage(terms, first.state, known, first.key));
  const offers = parties.map(({ state, key, rows }) => {
    const own = linkSecret(terms, state, known, secret);
    const offered = offeredTokens(terms.study, rows, own);
    return { offered, message: tokensMessage(terms, state, known, offered.tokens, key) };
  });
  const answer = askedHelper(
    here,
    offers.map(({ message }) => message),
  );
  return parties.map(({ state }, p) => {
    const { offered, message } = offers[p];
    const found = linkedPart(terms, state, offered.tokens.rows, answer);
    const order = found.part.rows.map((place) => offered.order[place]);
    return { ...found, order, bytes: message.body.length };
  });
}

function byPoints(here: PartiesHere): LinkedHere[] {
  const { terms, known, parties } = here;
  const { study } = terms;
  const secrets = parties.map(({ state }) => pointSecret(state, known));
  const offers = parties.map(({ rows }, p) => workAtOnce(offeredPoints(study, rows, secrets[p])));
  /** What a party gets from the other one, and how many bytes it has on its way. */
  const carried = (to: number, step: PointsStep, points: Uint8Array) => {
    const [sender, receiver] = [parties[1 - to].state, parties[to].state];
    const sealed = sealedPoints(terms, sender, known, receiver.party, step, points);
    const plain = openedPoints(terms, receiver, known, sender.party, step, sealed);
    return { plain, bytes: sealed.length };
  };
  const answered = parties.map((_, p) => {
    const { plain } = carried(p, 'points', offers[1 - p].points.bytes);
    const [party, other] = [study.parties[p], study.parties[1 - p]];
    const points = workAtOnce(answeredPoints(study, other, plain, secrets[p]));
    return { points, sent: workAtOnce(answerBytes(study, party, plain, points, secrets[p])) };
  });
  const links = parties.map(({ state, rows }, p) => {
    const { plain, bytes } = carried(p, 'doubled', answered[1 - p].sent);
    const other = study.parties[1 - p];
    const returned = workAtOnce(returnedPoints(study, offers[p].points, other, plain));
    return { ...pointLinks(study, state.party, rows, returned, answered[p].points), bytes };
  });
  if (links[0].count.people < study.fewest) {
    throw new FailureError('policy', tooFewPeople(study.fewest));
  }
  const answer = askedHelper(
    here,
    parties.map(({ state, key }, p) =>
      countMessage(terms, state, known, countBytes(links[p].count), key),
    ),
  );
  return parties.map(({ state }, p) => {
    const { rows, passes, count } = links[p];
    const dealt = linkedPart(terms, state, count.people, answer);
    return {
      part: { ...dealt.part, passes, rows },
      set: dealt.set,
      order: rows.map((place) => offers[p].order[place]),
      bytes: links[1 - p].bytes + links[p].bytes,
    };
  });
}

/** The helper's answer; throws why there is none. */
function askedHelper(
  { terms, helper }: PartiesHere,
  messages: readonly Sealed<ForHelper>[],
): Uint8Array {
  const opened = openTokens(terms, helper, messages);
  if ('problem' in opened) throw new FailureError('data', opened);
  const answer = answerLinks(terms, helper, opened);
  if ('problem' in answer) throw new FailureError('policy', answer);
  return messageBytes(answer);
}
