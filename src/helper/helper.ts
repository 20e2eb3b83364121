import type { HelperParty } from '../aggregation/aggregation.ts';
import { checkedAgreement } from '../coordinator/checked-agreement.ts';
import type { Store } from '../coordinator/store.ts';
import { requireOwnStore } from '../coordinator/store-owner.ts';
import type { Agreement } from '../federate.ts';
import { keyedNoise, noiseKey } from '../privacy/noise-key.ts';
import {
  type HelperDescription,
  type SealedStatement,
  type Statements,
  type SumAnswer,
  type SumRequest,
  setDigest,
  setMembers,
  type Unusable,
  type UnusableAnswer,
} from '../protocol/helper-messages.ts';
import type { LinkAnswer, LinkRequest } from '../protocol/party-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { type Sealed, sealDocument } from '../protocol/signature.ts';
import { type Statistic, statisticBytes } from '../statistic/statistic.ts';
import type { Study } from '../study/study.ts';
import { toBase64 } from '../text/base64.ts';
import { addMasks } from './add-masks.ts';
import { describeKeys, type HelperKeys, helperKeys } from './helper-keys.ts';
import { linkParties } from './link-parties.ts';
import { type PromisedSet, promiseAnswer, promisedSets } from './promise-answer.ts';
import { openSlips, type UsableSlip } from './usable-slips.ts';
import { reusedSeeds } from './used-seeds.ts';

/** The second aggregator: it knows the masks of the sites, and never their masked numbers. */
export interface Helper {
  readonly description: HelperDescription;
  /** The sum of the masks of the contributions; the same for the same contributions, at any time. */
  sum(request: SumRequest): Promise<SumAnswer>;
  /** Links the rows of parties that hold different columns; the same answer for the same tokens, and one set of tokens a study. */
  links(request: LinkRequest): Promise<Sealed<LinkAnswer>>;
  /** What was answered about a study, signed. */
  statements(study: string): Promise<Statements>;
}

export interface HelperOptions {
  readonly store: Store;
  /** Public keys of the sites that the helper's people know; a roster with others is refused. All keys unless given. */
  readonly knownKeys?: ReadonlySet<string>;
}

export async function createHelper({ store, knownKeys }: HelperOptions): Promise<Helper> {
  await requireOwnStore(store, 'helper');
  const keys = await helperKeys(store);
  const description = describeKeys(keys);
  return {
    description,
    async sum({ study, contributions, openings = [] }) {
      const { agreed, party } = ownStudy(study, description, knownKeys);
      refuseTwice(contributions);
      const opened = openSlips(agreed, party, keys, contributions);
      const { usable } = opened;
      const unusable = [...opened.unusable, ...(await reusedSeeds(store.db, agreed, usable))];
      if (unusable.length > 0) {
        return unusableAnswer(agreed, contributions, unusable, keys);
      }
      refuseUnopenable(agreed, openings);
      await refuseEarly(store, agreed, contributions, openings);
      const promised = await promiseAnswer(store, agreed, usable, openings);
      const { layout } = agreed;
      const sums = [];
      for (const seeds of groupsIn(agreed, usable)) {
        const masks = { layout, values: await addMasks(layout, seeds) };
        const sum = toBase64(statisticBytes(withNoise(agreed, masks, promised, keys)));
        sums.push({ contributions: seeds.length, sum });
      }
      const statement = statementOf(agreed.digest, promised, keys);
      return sealDocument({ schema: 'suffice/sum@1', statement, sums }, keys.signing);
    },
    links: ({ study, tokens }) =>
      linkParties(store, keys, checkedAgreement(study), tokens, knownKeys),
    async statements(study) {
      const promised = await promisedSets(store.db, study);
      return {
        schema: 'suffice/statements@1',
        statements: promised.map((one) => statementOf(study, one, keys)),
      };
    },
  };
}

/** The sum of the masks as the coordinator may see it: with noise where the study asks the helper for it, the same for the same set. */
function withNoise(
  { digest, method: { noise } }: Agreement,
  masks: Statistic,
  { set }: PromisedSet,
  keys: HelperKeys,
): Statistic {
  const words = keyedNoise(noiseKey('helper', keys.noise, digest, set));
  return noise?.atHelper?.(masks, words) ?? masks;
}

/** The seeds of each group of sites; of all sites together in a study without groups. */
function groupsIn(
  { aggregation: { grouping } }: Agreement,
  usable: readonly UsableSlip[],
): readonly Uint8Array[][] {
  const groups = Array.from({ length: grouping?.groups ?? 1 }, (): Uint8Array[] => []);
  for (const { slip, seed } of usable) groups[grouping?.groupOf(slip.site) ?? 0].push(seed);
  return groups;
}

/** The agreement of a study that names this helper; refuses any other. */
function ownStudy(
  study: Study,
  { keys, signingKey }: HelperDescription,
  knownKeys: HelperOptions['knownKeys'],
): { readonly agreed: Agreement; readonly party: HelperParty } {
  const agreed = checkedAgreement(study);
  const { helper: party, roster = {} } = agreed.aggregation;
  if (party === undefined || party.key !== keys[party.kem] || party.signingKey !== signingKey) {
    throw new Refusal(
      'not-allowed',
      'the study does not name this helper',
      'make the study with the keys that this helper shows',
    );
  }
  const stranger = Object.entries(roster).find(([, key]) => knownKeys?.has(key) === false);
  if (stranger === undefined) return { agreed, party };
  throw new Refusal(
    'not-allowed',
    `the helper does not know the key of ${stranger[0]}`,
    'ask the people of the helper to add the key of the site to their list',
  );
}

function refuseTwice(contributions: SumRequest['contributions']): void {
  const names = contributions.map(({ site, sequence }) => `${sequence} ${site}`);
  if (new Set(names).size === names.length) return;
  throw new Refusal('bad-request', 'a contribution is listed twice', 'list each contribution once');
}

/** With noise inside, an opened contribution would be one without noise. */
function refuseUnopenable(
  { method: { noise } }: Agreement,
  openings: NonNullable<SumRequest['openings']>,
): void {
  if (noise === undefined || openings.length === 0) return;
  throw new Refusal(
    'not-allowed',
    'the contributions to a private study cannot be opened',
    'make the study again without the doubtful site',
  );
}

/** Before the deadline of a study the helper answers only for all of its sites: those who are missing may still come. */
async function refuseEarly(
  store: Store,
  { study, aggregation: { roster = {} } }: Agreement,
  contributions: readonly { readonly site: string }[],
  openings: readonly { readonly site: string }[],
): Promise<void> {
  const { deadline } = study.quorum ?? {};
  if (deadline === undefined || Date.parse(deadline) <= (await store.now()).getTime()) return;
  const opened = new Set(openings.map(({ site }) => site));
  if (contributions.every(({ site }) => opened.has(site))) return;
  const here = new Set([...opened, ...contributions.map(({ site }) => site)]);
  const missing = Object.keys(roster).filter((site) => !here.has(site));
  if (missing.length === 0) return;
  throw new Refusal(
    'not-yet',
    `not yet: the study collects until ${deadline}, and ${missing.length} of its sites are missing`,
    'ask again after the deadline, or when all sites have contributed',
  );
}

function unusableAnswer(
  { digest: study }: Agreement,
  contributions: SumRequest['contributions'],
  unusable: readonly Unusable[],
  { signing }: HelperKeys,
): Sealed<UnusableAnswer> {
  const set = setDigest(study, setMembers(contributions));
  return sealDocument({ schema: 'suffice/unusable@1', study, set, unusable }, signing);
}

function statementOf(
  study: string,
  { set, members, answeredAt }: PromisedSet,
  { signing }: HelperKeys,
): SealedStatement {
  const sites = [...new Set(members.map(([site]) => site))];
  return sealDocument(
    {
      schema: 'suffice/statement@1',
      study,
      set,
      sites,
      contributions: members.length,
      answeredAt,
    },
    signing,
  );
}
