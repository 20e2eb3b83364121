import type { Failure } from '../failure.ts';
import type { ForHelper, LinkAnswer } from '../protocol/party-messages.ts';
import { isSealed, type Sealed, type SigningKey, sealDocument } from '../protocol/signature.ts';
import { digestBytes, digestJson } from '../study/digest.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import { decryptFrom, derivedBytes, encryptTo } from './exchange-keys.ts';
import { type ExchangeTerms, HELPER } from './exchange-messages.ts';
import { dealOnly, linkAndDeal } from './link-and-deal.ts';
import { type LinkTokens, TOKEN_BYTES } from './link-tokens.ts';
import { linkedPartBytes } from './linked-part.ts';
import { countIn, type PointCount } from './point-links.ts';

/** The secrets of a helper that links rows. */
export interface LinkerKeys {
  /** X25519 secret of the key that the study names. */
  readonly secret: Uint8Array;
  readonly signing: SigningKey;
  /** Its random numbers follow from this secret and the tokens: asked again, it deals the same. */
  readonly seeds: Uint8Array;
}

/** What the parties sent to the helper, opened. */
export interface OpenedTokens {
  /** Digest of what the parties sent. */
  readonly set: string;
  readonly members: readonly (readonly [party: string, digest: string])[];
  readonly boxes: ReadonlyMap<string, string>;
  /** The tokens of all parties; or the number of people whom they have linked themselves. */
  readonly offered: ReadonlyMap<string, LinkTokens> | number;
}

/** At the helper: opens what the parties sent; a failure names the party whose message is not in order. */
export function openTokens(
  { study, roster }: ExchangeTerms,
  { secret }: LinkerKeys,
  messages: readonly Sealed<ForHelper>[],
): OpenedTokens | Failure {
  const { linkage } = study.columnsAt;
  const tokens = new Map<string, LinkTokens>();
  const counts: PointCount[] = [];
  const boxes = new Map<string, string>();
  const members: (readonly [string, string])[] = [];
  const passes = study.columnsAt.passes.length;
  for (const party of study.parties) {
    const own = messages.filter((one) => one.party === party);
    const [message] = own;
    if (own.length !== 1) return unusable(party, 'there is not one message');
    if (message.schema !== schemaOf[linkage]) {
      return unusable(party, 'the rows of this study are linked in another way');
    }
    if (
      message.study !== study.digest ||
      message.seal.key !== roster[party] ||
      !isSealed(message)
    ) {
      return unusable(party, 'the message is not signed by the party for this study');
    }
    if (message.keys !== messages[0].keys) {
      return unusable(party, 'the parties were shown different keys');
    }
    const between = { study: study.digest, from: party, to: HELPER };
    const use = { use: linkage === 'ecdh' ? 'count' : 'tokens', keys: message.keys } as const;
    const sealed = bytesIn(message.body);
    const bytes = sealed && decryptFrom(secret, message.box, between, use, sealed);
    if (bytes === undefined) return unusable(party, 'the tokens cannot be opened');
    if (linkage === 'ecdh') {
      const count = countIn(bytes);
      if (count === undefined) return unusable(party, 'it is no number of people');
      counts.push(count);
    } else {
      const rows = bytes.length / (TOKEN_BYTES * passes);
      if (!Number.isInteger(rows)) return unusable(party, 'the tokens have a wrong length');
      tokens.set(party, { rows, passes, bytes });
    }
    boxes.set(party, message.box);
    members.push([party, digestBytes(sealed!)]);
  }
  const [first] = counts;
  if (counts.some(({ people, links }) => people !== first.people || links !== first.links)) {
    return otherLinks;
  }
  const set = digestJson({ study: study.digest, members });
  return { set, members, boxes, offered: linkage === 'ecdh' ? first.people : tokens };
}

const schemaOf = { hmac: 'suffice/party-tokens@1', ecdh: 'suffice/party-count@1' } as const;

const otherLinks: Failure = {
  problem:
    'the parties have not linked the same people: one of them, or the coordinator, changed a point',
  remedy: 'make a new study, if you trust everybody who takes part',
};

/** At the helper: links the rows and deals; the same answer for the same tokens. */
export function answerLinks(
  { study }: ExchangeTerms,
  { secret, signing, seeds }: LinkerKeys,
  { set, boxes, offered }: OpenedTokens,
): Sealed<LinkAnswer> | Failure {
  const seedOf = (text: string) => derivedBytes(seeds, `${set} ${text}`);
  const parts =
    typeof offered === 'number'
      ? dealOnly(study, offered, seedOf)
      : linkAndDeal(study, offered, seedOf);
  if ('problem' in parts) return parts;
  const answers: Record<string, string> = {};
  for (const [party, part] of parts) {
    const between = { study: study.digest, from: HELPER, to: party };
    const use = { use: 'links', set } as const;
    const plain = linkedPartBytes(part);
    const sealed = encryptTo(secret, boxes.get(party)!, between, use, plain);
    if (sealed === undefined) return unusable(party, 'its key is none');
    answers[party] = toBase64(sealed);
  }
  return sealDocument<LinkAnswer>(
    { schema: 'suffice/link-answer@1', study: study.digest, set, answers },
    signing,
  );
}

function unusable(party: string, why: string): Failure {
  return {
    problem: `what ${party} sent to the helper cannot be used: ${why}`,
    remedy: 'make a new study; the party joins it with the key that the roster has',
  };
}

function bytesIn(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text);
  } catch {
    return undefined;
  }
}
