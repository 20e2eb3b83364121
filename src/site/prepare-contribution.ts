import type { History, PastRelease } from '../disclosure/history.ts';
import type { RowTags } from '../disclosure/row-tags.ts';
import type { Audit, RuleId } from '../disclosure/rule.ts';
import { type Agreement, contribution } from '../federate.ts';
import { judgeOffer } from '../protocol/judge-offer.ts';
import type { OfferedColumn } from '../protocol/messages.ts';
import type { SigningKey } from '../protocol/signature.ts';
import { signContribution } from '../protocol/signed-contribution.ts';
import { releasedLabels, taggedColumns } from '../rows/inspection.ts';
import type { Pool } from '../rows/pool.ts';
import type { Address, SourceVersion } from '../rows/source.ts';
import type { Watch } from '../rows/watch.ts';
import type { Summary } from '../statistic/cross-product.ts';
import { type ContributionTurn, encodeContribution } from '../statistic/envelope.ts';
import { entriesOf } from '../statistic/layout.ts';
import { digestBytes } from '../study/digest.ts';
import type { DisclosureTerms } from '../study/study.ts';
import type { Description } from '../table/describe.ts';
import { AuditRefusal } from './audit-refusal.ts';
import type { SiteHome } from './home.ts';
import type { Release } from './ledger-chain.ts';
import { MismatchedColumns } from './mismatched-columns.ts';
import { type Budget, reviewRelease } from './review.ts';
import { asRead, type ReadingChoices, reduceSite, scanSite } from './site-table.ts';

/** A file, the study it answers, and for whom. */
export interface Preparation extends ReadingChoices {
  readonly agreed: Agreement;
  readonly site: string;
  readonly turn: ContributionTurn;
  /** Who gets it: the key of a coordinator, or `file`. */
  readonly place: string;
  readonly rows: Address;
  readonly home: SiteHome;
  /** What to sign with; unsigned without. */
  readonly key?: SigningKey;
  /** Rules of the site's own, beside those of the study. */
  readonly disclosure?: DisclosureTerms;
  /** Numbers of contributions that the study has of this site, of which its home knows nothing. */
  readonly forgotten?: readonly number[];
  /** Count the values of number columns in bins, for a person's eyes. */
  readonly histograms?: boolean;
}

/** A contribution that could leave, if its audit says so, and all that a person is shown of it. */
export interface Prepared {
  readonly release: Release;
  /** The state of the rows it was made of. */
  readonly source: SourceVersion;
  /** What the rows were reduced to. */
  readonly summary: Summary;
  /** What was read, column by column; it never leaves. */
  readonly description: Description;
  readonly columns: readonly OfferedColumn[];
  readonly tags: RowTags;
  readonly audit?: Audit;
  /** Of a private study. */
  readonly budget?: Budget;
  /** What would leave, byte for byte. */
  readonly file: Uint8Array;
  /** The public key it is signed with. */
  readonly signedBy?: string;
  /** Digests of the earlier releases it was compared with. */
  readonly reviewed: readonly string[];
}

/** Reads, judges, reduces, audits and signs; nothing leaves here. The ledger must have been verified. */
export async function prepareContribution(
  preparation: Preparation,
  pool: Pool,
  watch: Watch,
): Promise<Prepared> {
  const { agreed, site, turn, rows, key, home } = preparation;
  const tagKey = await home.tagKey();
  const table = await scanSite(agreed.study, rows, preparation, pool, watch);
  const mismatches = judgeOffer(agreed, table.columns);
  if (mismatches.length > 0)
    throw new MismatchedColumns(mismatches, table.otherDecimals, table.source.name);
  const reduced = await reduceSite(agreed, site, table, { ...preparation, tagKey }, pool, watch);
  const past = [...(await home.past()), ...forgotten(preparation)];
  const { audit, history, budget } = await reviewRelease(
    {
      agreed,
      study: asRead(agreed.study, preparation),
      site,
      turn,
      place: preparation.place,
      source: table.source,
      reduced,
      past,
      tagKey,
      ...(preparation.disclosure === undefined ? {} : { own: preparation.disclosure }),
    },
    pool,
    watch,
  );
  const { summary, inspection } = reduced;
  const unsigned = contribution(agreed, site, summary, turn);
  const file = encodeContribution(key === undefined ? unsigned : signContribution(unsigned, key));
  return {
    release: {
      study: agreed.digest,
      site,
      ...turn,
      ...{ rows: summary.rows, numbers: entriesOf(agreed.layout), bytes: file.length },
      digest: digestBytes(file),
      ...traits(agreed, history, preparation.place),
    },
    source: table.source.version,
    summary,
    description: inspection.description,
    columns: table.columns,
    tags: inspection.tags,
    ...(audit === undefined ? {} : { audit }),
    ...(budget === undefined ? {} : { budget }),
    file,
    ...(key === undefined ? {} : { signedBy: key.key }),
    reviewed: past.map(({ digest }) => digest),
  };
}

/** What of a release the ledger must know to compare later ones with it. */
function traits(
  { study, method, columns }: Agreement,
  { shared = [] }: History,
  place: string,
): Pick<Release, 'columns' | 'labels' | 'weights' | 'charge' | 'shared'> {
  const charge = method.noise?.charge(place);
  return {
    columns: taggedColumns({ columns }),
    labels: releasedLabels(method),
    ...(study.weights === undefined ? {} : { weights: study.weights }),
    ...(charge === undefined ? {} : { charge, shared }),
  };
}

/** Contributions that another home of this site has made: they cannot be compared, and cost what any of the study does. */
function forgotten({ agreed, site, place, forgotten = [] }: Preparation): PastRelease[] {
  const charge = agreed.method.noise?.charge(place);
  return forgotten.map((sequence) => ({
    digest: `contribution ${sequence}`,
    ...{ study: agreed.digest, site, at: '', mode: 'add', rows: 0, columns: [] },
    ...(charge === undefined ? {} : { charge }),
  }));
}

/** Rules that a person must have acknowledged, and has not. */
export function unacknowledged(
  { audit }: Pick<Prepared, 'audit'>,
  acknowledged: readonly string[],
): RuleId[] {
  const warned = audit?.rules.filter(({ outcome }) => outcome === 'warn') ?? [];
  return warned.map(({ rule }) => rule).filter((rule) => !acknowledged.includes(rule));
}

/** Refuses what the audit refuses; nothing has left, which `kept` says. */
export function refuseAudit(
  { audit }: Pick<Prepared, 'audit'>,
  kept: 'nothing was sent' | 'nothing was written',
): void {
  if (audit?.outcome !== 'refuse') return;
  const rules = audit.rules.flatMap(({ rule, outcome }) => (outcome === 'block' ? [rule] : []));
  throw new AuditRefusal(
    audit,
    rules,
    `the disclosure audit refuses this file (${rules.join(', ')}); ${kept}`,
    'each rule says what would help',
    { name: 'attack' },
  );
}
