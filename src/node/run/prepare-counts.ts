import type { SiteCounts } from '../../analysis/evaluation.ts';
import { countedNumbers } from '../../analysis/site-counts.ts';
import { defined } from '../../defined.ts';
import { auditCounts } from '../../disclosure/audit-counts.ts';
import { historyOf } from '../../disclosure/history.ts';
import { leastDifference } from '../../disclosure/history-rules.ts';
import { overlapOf } from '../../disclosure/overlap.ts';
import { type RowTags, sortedTags } from '../../disclosure/row-tags.ts';
import type { Audit } from '../../disclosure/rule.ts';
import { agreement } from '../../federate.ts';
import type { Pool } from '../../rows/pool.ts';
import { taggedColumns } from '../../rows/tagged-columns.ts';
import type { Watch } from '../../rows/watch.ts';
import type { Release } from '../../site/ledger-chain.ts';
import { forbiddenIn } from '../../site/review.ts';
import type { OtherTags, SiteStore } from '../../site/site-store.ts';
import { personsIn, taggedFile } from '../../site/tagged-file.ts';
import { digestBytes } from '../../study/digest.ts';
import { tableStudy } from '../../study/table-study.ts';
import { visibleJson } from '../../text/visible-text.ts';
import { countFile, countingStandard, type EvaluateRequest } from './evaluate.ts';

/** Counts of an evaluation that wait for approval, as the ledger records them. */
export interface PreparedCounts extends OtherTags {
  readonly counts: SiteCounts;
  /** Rows left out for a missing cell. */
  readonly dropped: number;
  /** The exact text to write. */
  readonly text: string;
  readonly release: Release;
  readonly tags: RowTags;
  readonly audit: Audit;
  /** Digests of the earlier releases it was compared with. */
  readonly reviewed: readonly string[];
}

/** Counts the rows of a file and compares them with what the site has released; writes nothing. Verify the ledger first. */
export async function prepareCounts(
  request: EvaluateRequest & { readonly name: string },
  store: SiteStore,
  pool: Pool,
  watch: Watch,
): Promise<PreparedCounts> {
  const { model, name: site } = request;
  const own = [await store.rules?.(), ...(request.own ?? [])].flatMap((rules) => rules ?? []);
  const { counts, dropped, used, source } = await countFile({ ...request, own });
  const agreed = agreement(model.study);
  // A file of held-out rows needs no weights.
  const columns = agreed.columns.filter(({ name }) => source.header.includes(name));
  const past = await store.past();
  const tagKey = await store.tagKey();
  const rows = await taggedFile(
    { ...agreed, columns },
    source,
    { used },
    past,
    tagKey,
    pool,
    watch,
  );
  const standard = countingStandard(model.study, own);
  const now = {
    study: agreed.digest,
    site,
    mode: 'replace' as const,
    columns: taggedColumns({ columns }),
    labels: [],
  };
  const present = {
    ...now,
    tags: new Map([...rows.tags].map(([digest, all]) => [digest, sortedTags([all], used)])),
    people: rows.people,
    file: rows,
    least: leastDifference(standard.thresholds),
  };
  const text = `${visibleJson(JSON.stringify(counts, null, 2))}\n`;
  const file = new TextEncoder().encode(text);
  const digest = digestBytes(file);
  const evaluations = past.filter(({ evaluated }) => evaluated !== undefined);
  const otherCounts = evaluations.filter(
    (release) => release.digest !== digest && overlapOf(present, release) !== 'apart',
  ).length;
  return {
    ...{ counts, dropped, text },
    release: {
      ...now,
      evaluated: model.report.digest,
      sequence: 1 + evaluations.length,
      rows: counts.n,
      numbers: countedNumbers(counts),
      bytes: file.length,
      digest,
      ...{ tagForm: 'cells', fileRows: used.length },
      ...defined({ person: rows.person }),
    },
    tags: rows.own,
    ...defined({ people: rows.people.get(rows.person ?? '') }),
    over: rows.over,
    audit: auditCounts(
      {
        rows: counts.n,
        ...defined({ persons: personsIn(rows) }),
        ...forbiddenIn(tableStudy(model.study), own),
        history: historyOf(present, past),
        otherCounts,
      },
      standard,
    ),
    reviewed: past.map((release) => release.digest),
  };
}
