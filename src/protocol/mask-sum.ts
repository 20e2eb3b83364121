import type { HelperParty, PartyAnswer } from '../aggregation/aggregation.ts';
import { bytesOf, type Layout } from '../statistic/layout.ts';
import { wordsFromBytes } from '../statistic/statistic.ts';
import type { Study } from '../study/study.ts';
import { fromBase64 } from '../text/base64.ts';
import type { HelperClient } from './helper-client.ts';
import {
  type SealedStatement,
  type SignedSlip,
  setDigest,
  setMembers,
  type Unusable,
} from './helper-messages.ts';
import { NetworkFailure } from './network-failure.ts';
import type { SealedOpening } from './opening-messages.ts';
import { isSealed } from './signature.ts';

/** What a helper answers about a set of contributions. */
export type MaskSum =
  | { readonly answers: readonly PartyAnswer[]; readonly statement: SealedStatement }
  | { readonly unusable: readonly Unusable[] };

/** Asks the helper of a study for the sum of the masks. Throws unless its signed statement is about exactly these contributions. */
export async function askMaskSum(
  client: HelperClient,
  { signingKey }: Pick<HelperParty, 'signingKey'>,
  {
    study,
    digest,
    layout,
  }: { readonly study: Study; readonly digest: string; readonly layout: Layout },
  contributions: readonly SignedSlip[],
  openings: readonly SealedOpening[] = [],
): Promise<MaskSum> {
  const asked = setDigest(digest, setMembers(contributions));
  const answer = await client.sum({
    schema: 'suffice/sum-request@1',
    study,
    contributions,
    ...(openings.length === 0 ? {} : { openings }),
  });
  if (answer.seal.key !== signingKey || !isSealed(answer)) {
    throw wrong('it is not signed with the key that the study names');
  }
  if (answer.schema === 'suffice/unusable@1') {
    if (answer.study !== digest || answer.set !== asked) {
      throw wrong('it is about other contributions');
    }
    refuseUnasked(answer.unusable, contributions);
    return answer;
  }
  const { statement, sums } = answer;
  if (statement.seal.key !== signingKey || !isSealed(statement)) {
    throw wrong('its statement is not signed with the key that the study names');
  }
  if (statement.study !== digest || statement.set !== asked) {
    throw wrong('its statement is about other contributions');
  }
  if (statement.contributions !== contributions.length) throw wrong('it added another number');
  const answers = sums.map((one) => {
    const bytes = fromBase64(one.sum);
    if (bytes.length !== bytesOf(layout)) throw wrong('its sum has another size');
    return { values: wordsFromBytes(bytes), contributions: one.contributions };
  });
  return { answers, statement };
}

/** Refuses an answer that names contributions that nobody asked about: they would be erased. */
function refuseUnasked(unusable: readonly Unusable[], asked: readonly SignedSlip[]): void {
  const known = new Set(asked.map(({ site, sequence }) => `${sequence} ${site}`));
  if (unusable.every(({ site, sequence }) => known.has(`${sequence} ${site}`))) return;
  throw wrong('it names a contribution that was not asked about');
}

function wrong(why: string): NetworkFailure {
  return new NetworkFailure(
    `the answer of the helper cannot be used: ${why}`,
    'ask the people of the helper; nothing was opened',
  );
}
