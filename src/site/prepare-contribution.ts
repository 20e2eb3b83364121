import { defined } from '../defined.ts';
import { type Acknowledgement, toAcknowledge } from '../disclosure/acknowledgement.ts';
import type { PastRelease } from '../disclosure/release.ts';
import type { RowTags } from '../disclosure/row-tags.ts';
import type { Audit } from '../disclosure/rule.ts';
import type { SiteRules } from '../disclosure/site-rules.ts';
import type { Agreement } from '../federate.ts';
import { judgeOffer } from '../protocol/judge-offer.ts';
import type { Mismatch, OfferedColumn } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { SigningKey } from '../protocol/signature.ts';
import type { Pool } from '../rows/pool.ts';
import type { Address, SourceVersion } from '../rows/source.ts';
import type { Watch } from '../rows/watch.ts';
import type { Wording } from '../rows/wording.ts';
import type { Summary } from '../statistic/cross-product.ts';
import type { ContributionNumbering } from '../statistic/envelope.ts';
import type { RingVector } from '../statistic/ring.ts';
import type { Statistic } from '../statistic/statistic.ts';
import type { ColumnSummary } from '../table/describe.ts';
import { acceptFile } from './accepted-file.ts';
import { AuditRefusal } from './audit-refusal.ts';
import { checkWording } from './check-wording.ts';
import type { Release } from './ledger-chain.ts';
import { makeContribution } from './make-contribution.ts';
import { type Budget, reviewRelease } from './review.ts';
import { requireRosterKey } from './roster-key.ts';
import type { OtherTags, SiteStore } from './site-store.ts';
import { asRead, type ReadingChoices } from './site-table.ts';
import { trainingKeeper } from './training-keeper.ts';

/** A file, the study it is for, and its recipient. */
export interface Preparation extends ReadingChoices {
  readonly agreed: Agreement;
  readonly site: string;
  readonly numbering: ContributionNumbering;
  /** The recipient: the key of a coordinator, or `file`. */
  readonly place: string;
  readonly rows: Address;
  readonly store: SiteStore;
  /** The key to sign with; the contribution is unsigned without it. */
  readonly key?: SigningKey;
  /** The site's own disclosure rules for this call, beside those of the study and those that the store keeps. */
  readonly disclosure?: SiteRules;
  /** Numbers of this site's contributions that the study has but the store does not know. */
  readonly forgotten?: readonly number[];
  /** Make histograms of the number columns, to show them at the site. */
  readonly histograms?: boolean;
  /** Finds the site's mask, where the sites agree on masks; called once the file is known to fit. */
  mask?(): Promise<RingVector>;
}

/** A prepared contribution, its audit, and everything shown for approval. */
export interface Prepared extends OtherTags {
  readonly release: Release;
  /** The version of the file it was made from. */
  readonly source: SourceVersion;
  /** The statistic of the rows, before any noise. */
  readonly summary: Summary;
  /** The statistic as the study asks for it, before the aggregation hides it. */
  readonly released: Statistic;
  /** A description of each column; it is never sent. */
  readonly description: ColumnSummary;
  readonly columns: readonly OfferedColumn[];
  /** In a private study: where cells do not match. They refuse nothing, and only the site sees them. */
  readonly mismatches: readonly Mismatch[];
  /** Absent where a database has summed rows that nobody here has seen. */
  readonly tags?: RowTags;
  readonly audit?: Audit;
  /** In a private study. */
  readonly budget?: Budget;
  /** How the file was read otherwise than the study says; shown for approval, never sent. */
  readonly wording?: Wording;
  /** The exact bytes to send. */
  readonly file: Uint8Array;
  /** The public key it is signed with. */
  readonly signedBy?: string;
  /** Digests of the earlier releases it was compared with. */
  readonly reviewed: readonly string[];
}

/** Reads, checks, reduces, audits and signs; sends nothing. Verify the ledger first. */
export async function prepareContribution(
  preparation: Preparation,
  pool: Pool,
  watch: Watch,
): Promise<Prepared> {
  const { agreed, site, numbering, key, store, wording } = preparation;
  checkWording(agreed, wording);
  if (key !== undefined) requireRosterKey({ agreed, site }, key.key);
  const tagKey = await store.tagKey();
  const training = agreed.method.network && (await trainingKeeper(store, agreed.digest, site));
  const { table, reduced } = await acceptFile(
    { ...preparation, tagKey, ...defined({ training }) },
    pool,
    watch,
  );
  const past = [...(await store.past()), ...forgotten(preparation)];
  const {
    audit,
    history,
    rows: known,
    budget,
  } = await reviewRelease(
    {
      agreed,
      study: asRead(agreed.study, preparation),
      site,
      numbering,
      place: preparation.place,
      source: table.source,
      reduced,
      past,
      tagKey,
      own: [await store.rules?.(), preparation.disclosure].flatMap((rules) => rules ?? []),
    },
    pool,
    watch,
  );
  const { summary, inspection } = reduced;
  const { released, file, release } = await makeContribution(preparation, {
    ...{ summary, history, source: table.source.name },
    more: { tagForm: 'cells', fileRows: known.used.length, ...defined({ person: known.person }) },
  });
  return {
    release,
    source: table.source.version,
    summary,
    released,
    description: inspection.description,
    columns: table.columns,
    mismatches: judgeOffer(agreed, table.columns),
    tags: known.own,
    ...defined({ people: known.people.get(known.person ?? '') }),
    over: known.over,
    ...defined({ audit, budget, wording }),
    file,
    ...defined({ signedBy: key?.key }),
    reviewed: past.map(({ digest }) => digest),
  };
}

/** Contributions from another store of this site. They cannot be compared; each costs what any contribution to the study costs. */
export function forgotten({
  agreed,
  site,
  place,
  forgotten = [],
}: Pick<Preparation, 'agreed' | 'site' | 'place' | 'forgotten'>): PastRelease[] {
  const charge = agreed.method.noise?.charge(place);
  return forgotten.map((sequence) => ({
    digest: `contribution ${sequence}`,
    ...{ study: agreed.digest, site, at: '', mode: 'add', rows: 0, columns: [] },
    ...defined({ charge }),
  }));
}

/** What must be acknowledged and has not been. */
export function unacknowledged(
  { audit }: Pick<Prepared, 'audit'>,
  acknowledged: readonly string[],
): Acknowledgement[] {
  return toAcknowledge(audit).filter((one) => !acknowledged.includes(one));
}

/** Throws if something must be acknowledged and has not been. */
export function refuseUnacknowledged(
  open: readonly Acknowledgement[],
  audit: Audit | undefined,
  outcome: 'nothing was sent' | 'nothing was written',
): void {
  if (open.length === 0) return;
  const option = { name: 'acknowledge', value: open.join() } as const;
  if (audit === undefined) {
    throw new Refusal(
      'not-allowed',
      `the study has switched the disclosure rules off, and nobody has acknowledged it; ${outcome}`,
      'choose rules of your own, or acknowledge it if your rows are public',
      option,
    );
  }
  throw new AuditRefusal(
    audit,
    open.filter((one) => one !== 'none'),
    `the audit warns of ${open.join(', ')}, and nobody has acknowledged it; ${outcome}`,
    'read the warnings, then acknowledge each of them',
    option,
  );
}

/** Throws if the audit refuses the contribution; `outcome` says that nothing happened. */
export function refuseAudit(
  { audit }: Pick<Prepared, 'audit'>,
  outcome: 'nothing was sent' | 'nothing was written' | 'no column was sent',
): void {
  if (audit?.outcome !== 'refuse') return;
  const rules = audit.rules.filter((rule) => rule.outcome === 'block').map(({ rule }) => rule);
  throw new AuditRefusal(
    audit,
    rules,
    `the disclosure audit refuses this file (${rules.join(', ')}); ${outcome}`,
    'see the remedy below each rule',
    { name: 'attack' },
  );
}
