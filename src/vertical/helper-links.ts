import type { Failure } from '../failure.ts';
import type { LinkAnswer, PartyTokens } from '../protocol/party-messages.ts';
import { isSealed, type Sealed, type SigningKey, sealDocument } from '../protocol/signature.ts';
import { digestBytes, digestJson } from '../study/digest.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import { decryptFrom, derivedBytes, encryptTo } from './exchange-keys.ts';
import { type ExchangeTerms, HELPER } from './exchange-messages.ts';
import { linkAndDeal } from './link-and-deal.ts';
import { type LinkTokens, TOKEN_BYTES } from './link-tokens.ts';
import { linkedPartBytes } from './linked-part.ts';

/** The secrets of a helper that links rows. */
export interface LinkerKeys {
  /** X25519 secret of the key that the study names. */
  readonly secret: Uint8Array;
  readonly signing: SigningKey;
  /** Its random numbers follow from this secret and the tokens: asked again, it deals the same. */
  readonly seeds: Uint8Array;
}

/** The tokens of all parties, opened. */
export interface OpenedTokens {
  /** Digest of what the parties sent. */
  readonly set: string;
  readonly members: readonly (readonly [party: string, digest: string])[];
  readonly boxes: ReadonlyMap<string, string>;
  readonly tokens: ReadonlyMap<string, LinkTokens>;
}

/** At the helper: opens the tokens of all parties; a failure names the party whose message is not in order. */
export function openTokens(
  { study, roster }: ExchangeTerms,
  { secret }: LinkerKeys,
  messages: readonly Sealed<PartyTokens>[],
): OpenedTokens | Failure {
  const tokens = new Map<string, LinkTokens>();
  const boxes = new Map<string, string>();
  const members: (readonly [string, string])[] = [];
  const passes = study.columnsAt.passes.length;
  for (const party of study.parties) {
    const own = messages.filter((one) => one.party === party);
    const [message] = own;
    if (own.length !== 1) return unusable(party, 'there is not one message');
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
    const use = { use: 'tokens', keys: message.keys } as const;
    const sealed = bytesIn(message.body);
    const bytes = sealed && decryptFrom(secret, message.box, between, use, sealed);
    if (bytes === undefined) return unusable(party, 'the tokens cannot be opened');
    const rows = bytes.length / (TOKEN_BYTES * passes);
    if (!Number.isInteger(rows)) return unusable(party, 'the tokens have a wrong length');
    tokens.set(party, { rows, passes, bytes });
    boxes.set(party, message.box);
    members.push([party, digestBytes(sealed!)]);
  }
  return { set: digestJson({ study: study.digest, members }), members, boxes, tokens };
}

/** At the helper: links the rows and deals; the same answer for the same tokens. */
export function answerLinks(
  { study }: ExchangeTerms,
  { secret, signing, seeds }: LinkerKeys,
  { set, boxes, tokens }: OpenedTokens,
): Sealed<LinkAnswer> | Failure {
  const parts = linkAndDeal(study, tokens, (text) => derivedBytes(seeds, `${set} ${text}`));
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
    problem: `the tokens of ${party} cannot be used: ${why}`,
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
