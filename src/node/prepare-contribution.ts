import { chargeOf } from '../disclosure/charge.ts';
import type { History, PastRelease } from '../disclosure/history.ts';
import type { RowTags } from '../disclosure/row-tags.ts';
import type { Audit, RuleId } from '../disclosure/rule.ts';
import { type Agreement, contribution } from '../federate.ts';
import type { Ink } from '../model/text-table.ts';
import { judgeOffer } from '../protocol/judge-offer.ts';
import type { Mismatch, OfferedColumn } from '../protocol/messages.ts';
import { printable } from '../protocol/printable.ts';
import type { SigningKey } from '../protocol/signature.ts';
import { signContribution } from '../protocol/signed-contribution.ts';
import { auditStory } from '../site/audit-story.ts';
import { leavingStory, readStory } from '../site/release-story.ts';
import { type ContributionTurn, encodeContribution } from '../statistic/envelope.ts';
import { entriesOf } from '../statistic/layout.ts';
import { digestBytes } from '../study/digest.ts';
import type { DisclosureTerms } from '../study/study.ts';
import { DataError } from '../table/data-error.ts';
import { AuditRefusal } from './audit-refusal.ts';
import type { FitWatcher } from './fit.ts';
import { taggedColumns } from './inspection.ts';
import { createPool } from './pool.ts';
import { reviewRelease } from './review.ts';
import type { Release, SiteHome } from './site-home.ts';
import { asRead, type ReadingChoices, reduceSite, scanSite } from './site-table.ts';

/** A file, the study it answers, and for whom. */
export interface Preparation extends ReadingChoices {
  readonly agreed: Agreement;
  readonly site: string;
  readonly turn: ContributionTurn;
  /** Who gets it: the key of a coordinator, or `file`. */
  readonly place: string;
  readonly path: string;
  readonly home: SiteHome;
  /** What to sign with; unsigned without. */
  readonly key?: SigningKey;
  /** Rules of the site's own, beside those of the study. */
  readonly disclosure?: DisclosureTerms;
  /** Numbers of contributions that the study has of this site, of which its folder knows nothing. */
  readonly forgotten?: readonly number[];
}

/** Who follows what is done at a site. */
export interface Onlooker {
  readonly ink: Ink;
  readonly watch: FitWatcher;
  show(text: string): void;
  /** Something worth knowing that is no result. */
  notice(text: string): void;
}

/** A contribution that could leave, if its audit says so. */
export interface Prepared {
  readonly release: Release;
  readonly dropped: number;
  readonly columns: readonly OfferedColumn[];
  readonly tags: RowTags;
  readonly audit?: Audit;
  readonly file: Uint8Array;
  /** Digests of the earlier releases it was compared with. */
  readonly reviewed: readonly string[];
}

/** Reads, judges, reduces, audits, signs and shows; nothing leaves here. The ledger must have been verified. */
export async function prepareContribution(
  preparation: Preparation,
  onlooker: Onlooker,
): Promise<Prepared> {
  const { agreed, site, turn, path, key, home } = preparation;
  const { ink, watch } = onlooker;
  const tagKey = await home.tagKey();
  const pool = createPool(preparation.threads);
  try {
    const table = await scanSite(agreed.study, path, preparation, pool, watch);
    refuseMismatches(judgeOffer(agreed, table.columns), table.otherDecimals, path, onlooker);
    const reduced = await reduceSite(agreed, site, table, { ...preparation, tagKey }, pool, watch);
    const past = [...(await home.past()), ...forgotten(preparation)];
    const { audit, history } = await reviewRelease(
      {
        agreed,
        study: asRead(agreed.study, preparation),
        site,
        turn,
        place: preparation.place,
        file: table.file,
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
    const digest = digestBytes(file);
    onlooker.show(readStory(agreed, path, summary, inspection.description, ink));
    const signedBy = key === undefined ? {} : { signedBy: key.key };
    onlooker.show(leavingStory(agreed, summary, { bytes: file.length, digest, ...signedBy }, ink));
    if (audit !== undefined) onlooker.show(auditStory(audit, ink));
    const { rows, dropped } = summary;
    const size = { rows, numbers: entriesOf(agreed.layout), bytes: file.length };
    return {
      release: {
        study: agreed.digest,
        site,
        ...turn,
        ...size,
        digest,
        ...traits(agreed, history, preparation.place),
      },
      dropped,
      columns: table.columns,
      tags: inspection.tags,
      reviewed: past.map(({ digest }) => digest),
      ...(audit === undefined ? {} : { audit }),
      file,
    };
  } finally {
    await pool.close();
  }
}

/** What of a release the ledger must know to compare later ones with it. */
function traits(
  { study, layout, ...agreed }: Agreement,
  { shared = [] }: History,
  place: string,
): Pick<Release, 'columns' | 'labels' | 'weights' | 'charge' | 'shared'> {
  const charge = chargeOf(study, layout, place);
  return {
    columns: taggedColumns(agreed),
    labels: layout.columns.slice(1),
    ...(study.weights === undefined ? {} : { weights: study.weights }),
    ...(charge === undefined ? {} : { charge, shared }),
  };
}

/** Contributions that another folder of this site has made: they cannot be compared, and cost what any of the study does. */
function forgotten({ agreed, site, place, forgotten = [] }: Preparation): PastRelease[] {
  const charge = chargeOf(agreed.study, agreed.layout, place);
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

/** Refuses what the audit refuses; nothing has left, which `kept` says in the words of the command. */
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
    'each rule above says what would help; suffice attack FILE shows why the rules exist',
  );
}

/** Says what does not match, column by column, and ends there. */
function refuseMismatches(
  mismatches: readonly Mismatch[],
  otherDecimals: readonly string[],
  path: string,
  { notice }: Onlooker,
): void {
  if (mismatches.length === 0) return;
  for (const { column, problem, remedy } of mismatches) {
    notice(`column "${printable(column)}": ${printable(problem)}\n  → ${printable(remedy)}`);
    if (otherDecimals.includes(column)) {
      notice('  → its cells look like numbers with the other decimal mark: try --decimal ,');
    }
  }
  const count = new Set(mismatches.map(({ column }) => column)).size;
  throw new DataError(
    `${count} ${count === 1 ? 'column does' : 'columns do'} not match the study; no statistic was made`,
    { file: path },
    'correct the file and run the command again',
  );
}
