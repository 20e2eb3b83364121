import { defined } from '../defined.ts';
import type { SiteRules } from '../disclosure/site-rules.ts';
import { contribution } from '../federate.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { SigningKey } from '../protocol/signature.ts';
import { signContribution } from '../protocol/signed-contribution.ts';
import { releasedLabels } from '../rows/inspection.ts';
import type { Pool } from '../rows/pool.ts';
import type { Address } from '../rows/source.ts';
import { openSource } from '../rows/sources.ts';
import { taggedColumns } from '../rows/tagged-columns.ts';
import type { Watch } from '../rows/watch.ts';
import type { Summary } from '../statistic/cross-product.ts';
import { encodeContribution } from '../statistic/envelope.ts';
import { entriesOf } from '../statistic/layout.ts';
import type { RingVector } from '../statistic/ring.ts';
import { digestBytes } from '../study/digest.ts';
import { type ColumnSummary, describer } from '../table/describe.ts';
import { type KeyCounts, keyCounts, refuseDuplicates } from '../vertical/party.ts';
import { partyColumns, readParty } from '../vertical/read-party.ts';
import { partyModel, verticalStudy } from '../vertical/vertical-study.ts';
import { numberingOf, type SiteMembership } from './join.ts';
import { exchangeTerms } from './party-exchange.ts';
import {
  type PartyReview,
  type PartyReviewing,
  partyAgreement,
  reviewParty,
} from './party-review.ts';
import type { Prepared } from './prepare-contribution.ts';
import { refuseStrangeKey } from './roster-key.ts';
import type { SiteStore } from './site-store.ts';

/** The file of a party, and how it is read. */
export interface PartyRequest {
  readonly rows: Address;
  readonly encoding?: string;
  readonly decimal?: '.' | ',';
  readonly missing: 'drop' | 'refuse';
  /** The party's own disclosure rules, beside those of the study. */
  readonly disclosure?: SiteRules;
  /** Make histograms of the number columns, to show them at the party. */
  readonly histograms?: boolean;
}

/** A party's file, read and reviewed; nothing has been sent. Rows stay here. */
export interface PreparedParty extends PartyReviewing {
  readonly membership: SiteMembership;
  readonly key: SigningKey;
  readonly review: PartyReview;
  readonly counts: KeyCounts;
  readonly summary: Summary;
  /** Of the complete rows; it is never sent. */
  readonly description: ColumnSummary;
}

/** Refuses a further contribution: a party has one share of the total. */
export function contributesOnce(): Refusal {
  return new Refusal(
    'conflict',
    'a party with its own columns contributes once, from rows that it can link',
    'join with the file itself; for other rows ask for a new study',
  );
}

/** Reads a party's file and audits its own columns over all its complete rows. Sends nothing. Verify the ledger first. */
export async function prepareParty(
  { rows: address, encoding, decimal, missing, disclosure, histograms = false }: PartyRequest,
  membership: SiteMembership,
  store: SiteStore,
  pool: Pool,
  watch: Watch,
): Promise<PreparedParty> {
  const { agreed, site } = membership;
  const study = verticalStudy(agreed);
  exchangeTerms(study);
  await refuseStrangeKey(membership, store);
  if (membership.nextSequence > 1) throw contributesOnce();
  numberingOf(membership);
  const part = partyModel(study, site);
  const source = await openSource(pool.host, address, partyColumns(study, site), encoding, decimal);
  const bar = watch('reading', source.length);
  const read = readParty(study, part, pool.host, source, missing, bar.update);
  const rows = await read.finally(bar.done);
  const counts = keyCounts(study, rows);
  refuseDuplicates(study, counts, source.name);
  const reviewing = { study, part, rows, source, store, ...defined({ disclosure }) };
  const everyRow = Uint32Array.from({ length: rows.block.rows }, (_, r) => r);
  const review = await reviewParty(reviewing, everyRow, pool, watch);
  const described = describer(partyAgreement(study, part).columns, { histograms });
  described.add(rows.block);
  return {
    ...reviewing,
    ...{ membership, key: await store.key(), review, counts },
    summary: {
      statistic: review.statistic,
      rows: rows.block.rows,
      dropped: rows.dropped,
      missing: rows.missing,
    },
    description: described.finish(),
  };
}

/** The contribution of a party's share. */
export function preparedShare(
  party: PreparedParty,
  review: PartyReview,
  people: number,
  values: RingVector,
): Prepared {
  const { membership, study, part, key, source } = party;
  const { agreed, site } = membership;
  const numbering = numberingOf(membership);
  const share = { layout: study.layout, values };
  const summary = { ...party.summary, statistic: review.statistic, rows: people };
  const made = contribution(
    agreed,
    site,
    { ...summary, statistic: share, released: share },
    numbering,
  );
  const file = encodeContribution(signContribution(made, key), 'short');
  const own = partyAgreement(study, part);
  const { tagged, audit, reviewed } = review;
  return {
    release: {
      ...{ study: agreed.digest, site, ...numbering, rows: people },
      ...{ numbers: entriesOf(agreed.layout), bytes: file.length, digest: digestBytes(file) },
      ...{ columns: taggedColumns(own), labels: releasedLabels(own.method) },
      ...{ tagForm: 'cells', fileRows: tagged.used.length },
    },
    source: source.version,
    summary,
    released: share,
    description: party.description,
    columns: [],
    mismatches: [],
    tags: tagged.own,
    over: tagged.over,
    ...defined({ audit }),
    file,
    signedBy: key.key,
    reviewed,
  };
}
