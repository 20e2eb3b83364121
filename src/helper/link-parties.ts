import type { Store } from '../coordinator/store.ts';
import type { Agreement } from '../federate.ts';
import type { ForHelper, LinkAnswer } from '../protocol/party-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Sealed } from '../protocol/signature.ts';
import { toBase64url } from '../text/base64url.ts';
import { derivedBytes } from '../vertical/exchange-keys.ts';
import type { ExchangeTerms } from '../vertical/exchange-messages.ts';
import {
  answerLinks,
  type LinkerKeys,
  type OpenedTokens,
  openTokens,
} from '../vertical/helper-links.ts';
import { verticalStudy } from '../vertical/vertical-study.ts';
import type { HelperKeys } from './helper-keys.ts';

/**
 * Links the rows of a study that names this helper, or deals for rows that its parties have linked. It promises a set of messages before it
 * answers, and answers no other set of the study: asking with other tokens would tell who is among the people of another party.
 */
export async function linkParties(
  store: Store,
  keys: HelperKeys,
  agreed: Agreement,
  messages: readonly Sealed<ForHelper>[],
  knownKeys: ReadonlySet<string> | undefined,
): Promise<Sealed<LinkAnswer>> {
  const study = verticalStudy(agreed);
  const { roster = {}, helper } = study.columnsAt;
  const own = toBase64url(keys.seals.x25519.publicKey);
  if (helper?.key !== own || helper.signingKey !== keys.signing.key) {
    throw new Refusal(
      'not-allowed',
      'the study does not name this helper',
      'make the study with the keys that this helper shows',
    );
  }
  const stranger = Object.entries(roster).find(([, key]) => knownKeys?.has(key) === false);
  if (stranger !== undefined) {
    throw new Refusal(
      'not-allowed',
      `the helper does not know the key of ${stranger[0]}`,
      'ask the people of the helper to add the key of the party to their list',
    );
  }
  const terms: ExchangeTerms = { study, roster, helper };
  const linker: LinkerKeys = {
    secret: keys.seals.x25519.secretKey,
    signing: keys.signing,
    seeds: derivedBytes(new TextEncoder().encode(keys.noise), 'suffice/vertical@1 seeds'),
  };
  const opened = openTokens(terms, linker, messages);
  if ('problem' in opened) throw new Refusal('unprocessable', opened.problem, opened.remedy);
  await promiseLinks(store, agreed.digest, opened);
  const answer = answerLinks(terms, linker, opened);
  if ('problem' in answer) throw new Refusal('not-allowed', answer.problem, answer.remedy);
  return answer;
}

/** Records the tokens that the helper answers about; refuses others of the same study. */
async function promiseLinks(
  store: Store,
  study: string,
  { set, members }: OpenedTokens,
): Promise<void> {
  await store.write(study, async (db) => {
    const before = await db
      .selectFrom('helper_answers')
      .select('contributions')
      .where('study', '=', study)
      .execute();
    if (before.some(({ contributions }) => contributions === set)) return;
    if (before.length > 0) {
      throw new Refusal(
        'conflict',
        'the helper has linked other tokens of this study, and another answer would tell who is at which party',
        'make a new study',
      );
    }
    const answered_at = (await store.now(db)).toISOString();
    const listed = JSON.stringify(members.map(([party, digest]) => [party, 1, digest]));
    await db
      .insertInto('helper_answers')
      .values({ study, contributions: set, members: listed, answered_at })
      .execute();
  });
}
