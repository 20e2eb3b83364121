import type {
  Aggregation,
  Collected,
  Collector,
  PartyAnswer,
  Share,
} from './aggregation/aggregation.ts';
import { aggregationOf } from './aggregation/aggregations.ts';
import { DataError } from './data-error.ts';
import type { Failure } from './failure.ts';
import { methodOf } from './fusion/fusions.ts';
import type { Method, ReadColumn, Regression } from './fusion/method.ts';
import type { Report } from './model/report.ts';
import { newNonce } from './random/nonce.ts';
import type { WordSource } from './random/words.ts';
import { joinAdjustments } from './statistic/adjustments.ts';
import type { Summarizer, SummarizerOptions, Summary } from './statistic/cross-product.ts';
import {
  type Contribution,
  type ContributionNumbering,
  type Decoded,
  decodeContribution,
  firstNumbering,
} from './statistic/envelope.ts';
import { type Layout, wordsOf } from './statistic/layout.ts';
import { ringAddInto } from './statistic/ring.ts';
import { ringShare } from './statistic/ring-share.ts';
import { type Statistic, statisticBytes } from './statistic/statistic.ts';
import { canonicalJson } from './study/canonical-json.ts';
import type { Codebook } from './study/codebook.ts';
import { digestBytes } from './study/digest.ts';
import { isTableStudy, type ResolutionName, type Study, studyDigest } from './study/study.ts';

/** A study and everything derived from it: all parties derive the same, before any row is read. */
export interface Agreement {
  readonly study: Study;
  readonly digest: string;
  /** What its sites do, and how their sum is resolved. */
  readonly method: Method;
  /** How statistics are added, and who sees them. */
  readonly aggregation: Aggregation;
  /** What a site sends. */
  readonly layout: Layout;
  /** What its rows are reduced to first: the same, unless a site sends its own estimate. */
  readonly rowsLayout: Layout;
  /** Columns a site reads, in the order a block carries them. */
  readonly columns: readonly ReadColumn[];
}

/** Agreements kept in memory. */
const MOST_KEPT = 32;
const kept = new Map<string, Agreement>();

/** Derives the agreement of a study; once per process, from a copy that nobody can change. */
export function agreement(study: Study): Agreement {
  // The digest is no key: "." stands for the columns in codebook order, which the digest ignores.
  const text = JSON.stringify(study);
  const known = kept.get(text);
  if (known !== undefined) return known;
  const own: Study = JSON.parse(text);
  const agreed = agreementBy(own, methodOf(own), aggregationOf(own));
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
  kept.set(text, agreed);
  return agreed;
}

/** The agreement for a given method and aggregation, registered or not. */
export function agreementBy(study: Study, method: Method, aggregation: Aggregation): Agreement {
  if (method.needsSites && aggregation.sees === 'total') {
    throw new DataError(
      'the method needs each site’s statistic, and the aggregation shows only their sum',
      {},
      'take another method, or plain aggregation',
    );
  }
  if (method.needsSites && aggregation.minimumSites !== undefined) {
    throw new DataError(
      'the method needs each site’s statistic, and minimumSites allows nothing about one site',
      {},
      'leave out minimumSites, or take a method that needs only the sum: classical errors, a ridge by GCV',
    );
  }
  const { layout, rowsLayout, columns } = method;
  let digest: string | undefined;
  return {
    study,
    /** Found when it is first asked for: the threads of a reading never ask. */
    get digest() {
      digest ??= studyDigest(study);
      return digest;
    },
    method,
    aggregation,
    layout,
    rowsLayout,
    columns,
  };
}

/** The study of the next round after a report, or why there is none; `from` names the resolution of the report. */
export function nextRound(study: Study, report: Report, from?: ResolutionName): Study | Failure {
  const { rounds } = agreement(study).method;
  return rounds === undefined ? exactAlready : rounds.next(report, from);
}

const exactAlready: Failure = {
  problem: 'the model is exact: another round would change nothing',
  remedy:
    'only logistic and Poisson regressions, private studies and residual layers have a next round',
};

/** The columns that sites read, by name: those of the codebook, or those that the method describes. */
export function codebookIn({ study, columns }: Pick<Agreement, 'study' | 'columns'>): Codebook {
  if (isTableStudy(study)) return study.codebook;
  const known = describedColumns.get(columns);
  if (known !== undefined) return known;
  const codebook = Object.fromEntries(columns.map(({ name, column }) => [name, column]));
  describedColumns.set(columns, codebook);
  return codebook;
}

/** Cached, because images have thousands of columns and loops over columns ask. */
const describedColumns = new WeakMap<readonly ReadColumn[], Codebook>();

/** The regression of a study that reads a table by a formula; refuses other studies. */
export function regressionOf({ method: { regression } }: Pick<Agreement, 'method'>): Regression {
  if (regression !== undefined) return regression;
  throw new DataError(
    'the study has no formula',
    {},
    'give a study that fits a regression to a table',
  );
}

/** The site's half: takes blocks of rows and returns their sum. */
export function reduction({ method }: Agreement, options: SummarizerOptions): Summarizer {
  return method.summarize(options);
}

/** Adds the summaries of several parts of one site's rows. */
export function joinSummaries<L extends Layout>(
  layout: L,
  summaries: readonly Summary[],
): Summary<L> {
  const values = new Uint32Array(summaries[0].statistic.values.length);
  const missing: Record<string, number> = {};
  for (const one of summaries) {
    ringAddInto(values, one.statistic.values, wordsOf(layout));
    for (const [column, count] of Object.entries(one.missing)) {
      missing[column] = (missing[column] ?? 0) + count;
    }
  }
  const adjusted = summaries.flatMap((one) => one.adjusted ?? []);
  const sum = (count: (one: Summary) => number) => summaries.reduce((s, one) => s + count(one), 0);
  return {
    statistic: { layout, values },
    rows: sum((one) => one.rows),
    dropped: sum((one) => one.dropped),
    missing,
    ...(summaries[0].clipped === undefined ? {} : { clipped: sum(({ clipped = 0 }) => clipped) }),
    ...(summaries[0].weightedAt && { weightedAt: summaries[0].weightedAt }),
    ...(adjusted.length === 0 ? {} : { adjusted: joinAdjustments(adjusted) }),
  };
}

/** The one message of a site; `numbering` is for sites that add or replace rows later. */
export function contribution(
  { digest, method, aggregation, layout }: Agreement,
  site: string,
  { statistic: sums, dropped }: Summary,
  numbering: ContributionNumbering = firstNumbering,
): Contribution {
  const header = { study: digest, site, ...numbering };
  const shares = aggregation.split(method.release(sums, site), header);
  const sent = { ...header, statistic: { layout, values: sentNumbers(shares) } };
  // In a private study, the number of dropped rows would reveal something about them.
  return method.noise === undefined
    ? { ...sent, dropped }
    : { ...sent, dropped: 0, nonce: newNonce() };
}

/** The share of the coordinator. The message has no place for other shares yet, so they are refused. */
function sentNumbers([own, ...others]: readonly Share[]): Statistic['values'] {
  if (!('values' in own)) {
    throw new RangeError('the first share is the coordinator’s, and has numbers');
  }
  if (others.length === 0) return own.values;
  throw new RangeError('a contribution carries the share of the coordinator alone');
}

/** Reads a contribution to the study; refuses, with a reason, what a site could not have sent. */
export function readContribution(
  { digest, layout, aggregation }: Pick<Agreement, 'digest' | 'layout' | 'aggregation'>,
  file: Uint8Array,
): Decoded {
  const decoded = decodeContribution(file, digest, layout);
  if ('refused' in decoded) return decoded;
  const { values } = decoded.contribution.statistic;
  const refused = aggregation.implausible({ values }, layout, 'coordinator');
  return refused === undefined ? decoded : { refused };
}

/** The total of contributions and of other parties' answers, and each site's statistic where the aggregation shows it. */
export function collect(
  agreed: Agreement,
  contributions: Iterable<Contribution>,
  answers?: readonly PartyAnswer[],
): Collected | Failure {
  const collector = collectorFor(agreed, agreed.aggregation.sees);
  for (const { site, statistic } of contributions) {
    collector.add(site, { values: statistic.values });
  }
  return collector.finish(answers);
}

/** Adds shares as the study's aggregation does; gives no total if the sum may have overflowed the ring. */
export function collectorFor(
  { layout, aggregation }: Pick<Agreement, 'layout' | 'aggregation'>,
  keep: 'total' | 'sites',
): Collector {
  const collector = aggregation.collector(layout, keep);
  // Shares that hide a statistic fill the ring evenly, and say nothing about its size.
  if (aggregation.sees === 'total') return collector;
  let filled = 0;
  return {
    add(site, share) {
      if ('values' in share) filled += ringShare(layout, share.values);
      collector.add(site, share);
    },
    finish: (answers) => (filled < 1 ? collector.finish(answers) : tooLargeTogether),
  };
}

/** Why contributions whose sum may overflow have no total. */
export const tooLargeTogether: Failure = {
  problem: 'the contributions together are too large for the arithmetic of the study',
  remedy: 'leave out the site with far too many rows; for honest rows, use exact arithmetic',
};

/** What may be published: everything collected; in a private study only the total with noise. */
export function releasable(
  { method: { noise } }: Agreement,
  collected: Collected,
  random?: WordSource,
): Collected {
  if (noise === undefined) return collected;
  const { total, contributions } = collected;
  return { total: noise.onTotal(total, random), contributions };
}

/** The name of a total: SHA-256 of study, layout and total. */
export function totalDigest({ digest, layout }: Agreement, total: Statistic): string {
  const names = new TextEncoder().encode(canonicalJson({ study: digest, layout }));
  return digestBytes(names, statisticBytes(total));
}
