import { defined } from '../defined.ts';
import { audit, needsLeverage } from '../disclosure/audit.ts';
import { historyOf } from '../disclosure/history.ts';
import { leastDifference } from '../disclosure/history-rules.ts';
import { warnOfLaxLimits } from '../disclosure/lax-limits.ts';
import { thresholdsOf } from '../disclosure/profile.ts';
import { sortedTags } from '../disclosure/row-tags.ts';
import type { Audit } from '../disclosure/rule.ts';
import type { SiteRules } from '../disclosure/site-rules.ts';
import type { Agreement } from '../federate.ts';
import { releasedLabels } from '../rows/inspection.ts';
import type { Pool } from '../rows/pool.ts';
import type { Source } from '../rows/source.ts';
import { taggedColumns } from '../rows/tagged-columns.ts';
import type { Watch } from '../rows/watch.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import { ownLeverage, ownSums } from '../vertical/party.ts';
import type { PartyRows } from '../vertical/party-rows.ts';
import { keyColumns } from '../vertical/read-party.ts';
import {
  type PartyModel,
  partyModel,
  type VerticalStudy,
  verticalStudy,
} from '../vertical/vertical-study.ts';
import type { SiteStore } from './site-store.ts';
import { type TaggedFile, taggedFile } from './tagged-file.ts';

/** The agreement of a study as one party sees it: its own columns. What is shown, audited and recorded follows from it. */
export function partyAgreement({ agreed }: VerticalStudy, part: PartyModel): Agreement {
  const { method } = agreed;
  const { design, layout } = part;
  const columns = design.variables.map((name) => ({ name, column: design.codebook[name] }));
  const regression = { ...method.regression!, design, layout };
  const own = { layout, rowsLayout: layout, columns };
  return {
    ...agreed,
    ...own,
    get digest() {
      return agreed.digest;
    },
    method: { ...method, ...own, regression },
  };
}

/** The same for a party by name: also the key columns, which its file must have. */
export function agreementAt(agreed: Agreement, party: string): Agreement {
  const study = verticalStudy(agreed);
  const own = partyAgreement(study, partyModel(study, party));
  const known = new Set(own.columns.map(({ name }) => name));
  const keys = keyColumns(study).filter((name) => !known.has(name));
  const columns = [
    ...own.columns,
    ...keys.map((name) => ({ name, column: { type: 'id' } as const })),
  ];
  return { ...own, digest: agreed.digest, columns };
}

/** A party's own sums over some of its rows, compared with earlier releases and with the disclosure rules. */
export interface PartyReview {
  readonly statistic: LinearStatistic;
  /** Absent if study and site have switched off the rules. */
  readonly audit?: Audit;
  readonly tagged: TaggedFile;
  readonly reviewed: readonly string[];
}

/** What a review needs. */
export interface PartyReviewing {
  readonly study: VerticalStudy;
  readonly part: PartyModel;
  readonly rows: PartyRows;
  readonly source: Source;
  readonly store: SiteStore;
  readonly disclosure?: SiteRules;
}

/** Reviews the party's own columns over some of its rows. It cannot see other parties' columns: the coordinator's rules look at the joined sums. */
export async function reviewParty(
  { study, part, rows, source, store, disclosure }: PartyReviewing,
  order: Uint32Array,
  pool: Pool,
  watch: Watch,
): Promise<PartyReview> {
  const agreed = partyAgreement(study, part);
  const { statistic, facts } = ownSums(part, rows, order);
  const used = new Uint8Array(rows.block.rows + rows.dropped);
  for (const row of order) used[rows.origin[row] - 1] = 1;
  const past = await store.past();
  const tagged = await taggedFile(
    agreed,
    source,
    { used },
    past,
    await store.tagKey(),
    pool,
    watch,
  );
  const own = [await store.rules?.(), disclosure].flatMap((rules) => rules ?? []);
  const standard = thresholdsOf(agreed.study.disclosure, ...own);
  const reviewed = past.map(({ digest }) => digest);
  if (standard === 'none') return { statistic, tagged, reviewed };
  const history = historyOf(
    {
      ...{ study: agreed.digest, site: part.party, mode: 'add' as const },
      columns: taggedColumns(agreed),
      labels: releasedLabels(agreed.method),
      tags: new Map([...tagged.tags].map(([digest, all]) => [digest, sortedTags([all], used)])),
      ...{ people: tagged.people, file: tagged, least: leastDifference(standard.thresholds) },
    },
    past,
  );
  const known = { statistic, facts, terms: part.design.terms, history };
  const leverage = needsLeverage(known, standard)
    ? ownLeverage(part, rows, order, statistic)
    : undefined;
  const measured = leverage && {
    leverage: leverage.largest,
    wholeLeverage: leverage.whole ?? leverage.largest,
  };
  const judged = audit({ ...known, ...defined(measured ?? {}) }, standard);
  return {
    statistic,
    tagged,
    reviewed,
    audit: warnOfLaxLimits(judged, agreed.study.disclosure ?? {}, standard),
  };
}
