import type { Aggregation, Collected, Collector, PartyAnswer } from './aggregation/aggregation.ts';
import { aggregationOf } from './aggregation/aggregations.ts';
import { type Grouping, groupName } from './aggregation/grouping.ts';
import { refuseUncheckable } from './aggregation/uncheckable.ts';
import { DataError } from './data-error.ts';
import { defined } from './defined.ts';
import type { Failure } from './failure.ts';
import { methodOf } from './fusion/fusions.ts';
import { inTree, nextAbove } from './fusion/in-tree.ts';
import type { Method, ReadColumn, Regression } from './fusion/method.ts';
import { refuseTogether } from './fusion/refuse-together.ts';
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
import { impossibleTotal } from './statistic/impossibility.ts';
import { type Layout, wordsOf } from './statistic/layout.ts';
import { type RingVector, ringAddInto } from './statistic/ring.ts';
import { ringShare } from './statistic/ring-share.ts';
import { type Statistic, statisticView } from './statistic/statistic.ts';
import { canonicalJson } from './study/canonical-json.ts';
import type { Codebook } from './study/codebook.ts';
import { digestBytes } from './study/digest.ts';
import { isTableStudy, type ResolutionName, type Study, studyDigest } from './study/study.ts';
import { fromBase64url, toBase64url } from './text/base64url.ts';

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
export function agreementBy(study: Study, fusing: Method, aggregation: Aggregation): Agreement {
  const method = inTree(fusing, study.parents);
  refuseTogether(method, aggregation);
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
  if (study.parents !== undefined) return nextAbove;
  const { rounds } = agreement(study).method;
  return rounds === undefined ? exactAlready : rounds.next(report, from);
}

const exactAlready: Failure = {
  problem: 'the model is exact: another round would change nothing',
  remedy:
    'only logistic and Poisson regressions, private studies, networks and residual layers have a next round',
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
  const [{ statistic: first }] = summaries;
  // A single part, which may take gigabytes, is not copied.
  const values = summaries.length === 1 ? first.values : new Uint32Array(first.values.length);
  const missing: Record<string, number> = {};
  for (const one of summaries) {
    if (values !== one.statistic.values) {
      ringAddInto(values, one.statistic.values, wordsOf(layout));
    }
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
    ...defined({ network: summaries[0].network }),
  };
}

/** The one message of a site; `numbering` is for sites that add or replace rows later, `released` the statistic if it is known, `mask` for sites that agreed on masks. */
export function contribution(
  agreed: Agreement,
  site: string,
  summary: Summary & { readonly released?: Statistic },
  numbering: ContributionNumbering = firstNumbering,
  mask?: RingVector,
): Contribution {
  const { digest, method, aggregation, layout } = agreed;
  const { dropped, released = method.release(summary.statistic, site) } = summary;
  refuseUncheckable(agreed, released, numbering);
  const hidden = method.noise !== undefined || aggregation.sees === 'total';
  const header = {
    ...{ study: digest, site, ...numbering },
    // Where numbers are hidden, the number of dropped rows would reveal something about them.
    ...(hidden ? { dropped: 0, nonce: newNonce() } : { dropped }),
  };
  const [own, ...others] = aggregation.split(released, { ...header, ...defined({ mask }) });
  if (!('values' in own)) {
    throw new RangeError('the first share is the coordinator’s, and has numbers');
  }
  const sent = { ...header, statistic: { layout, values: own.values } };
  const [sealed] = others.map((share) => 'sealed' in share && toBase64url(share.sealed));
  return sealed ? { ...sent, sealed } : sent;
}

/** The same aggregation with groups of sites in place of sites. */
function inGroups(aggregation: Aggregation, grouping: Grouping | undefined): Aggregation {
  if (grouping === undefined) return aggregation;
  return {
    ...aggregation,
    collector(layout, keep) {
      const collector = aggregation.collector(layout, keep);
      return {
        add: (site, share) => collector.add(groupName(grouping.groupOf(site)), share),
        finish: (answers) => {
          const collected = collector.finish(answers);
          if ('problem' in collected || collected.parts === undefined) return collected;
          const parts = collected.parts.toSorted((a, b) => (a.site < b.site ? -1 : 1));
          return { ...collected, parts };
        },
      };
    },
  };
}

/** The same agreement for rows of one owner, in one process: nothing has to be hidden, and the totals are the same. */
export function openly(agreed: Agreement): Agreement {
  if (agreed.aggregation.sees === 'sites') return agreed;
  const method = withAllNoise(agreed.method);
  const aggregation = inGroups(aggregationOf({}), agreed.aggregation.grouping);
  return { ...agreed, method, aggregation };
}

/** The method with the helper's noise added on the total, where no helper is asked. */
function withAllNoise(method: Method): Method {
  const { noise } = method;
  if (noise?.atHelper === undefined) return method;
  const { atHelper, onTotal, ...rest } = noise;
  const both = (total: Statistic, random?: WordSource) => onTotal(atHelper(total, random), random);
  return { ...method, noise: { ...rest, onTotal: both } };
}

/** Reads a contribution to the study; refuses, with a reason, what a site could not have sent. */
export function readContribution(
  {
    digest,
    layout,
    aggregation,
    method,
  }: Pick<Agreement, 'digest' | 'layout' | 'aggregation'> & {
    readonly method?: Pick<Method, 'impossible'>;
  },
  file: Uint8Array,
): Decoded {
  const decoded = decodeContribution(file, digest, layout);
  if ('refused' in decoded) return decoded;
  const { statistic } = decoded.contribution;
  const { values } = statistic;
  const refused =
    aggregation.implausible({ values }, layout, 'coordinator') ??
    implausibleSeal(aggregation, layout, decoded.contribution) ??
    (aggregation.sees === 'sites' ? method?.impossible?.(statistic) : undefined);
  return refused === undefined ? decoded : { refused };
}

/** Why the part that another party opens cannot be valid, if so. */
function implausibleSeal(
  { parties, implausible }: Aggregation,
  layout: Layout,
  { sealed, nonce }: Contribution,
): string | undefined {
  const [, other] = parties;
  if (other === undefined) return sealed && 'the study has no helper, and a part is sealed to one';
  if (nonce === undefined) return 'it has no nonce, and the helper needs one';
  const bytes = sealed === undefined ? undefined : fromBase64url(sealed);
  if (bytes === undefined) return 'the part for the helper is missing';
  return implausible({ sealed: bytes }, layout, other);
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

/** Adds shares as the study's aggregation does; gives no total if the sum may have overflowed the ring, or is none of any rows. */
export function collectorFor(
  { layout, aggregation, method }: Pick<Agreement, 'layout' | 'aggregation' | 'method'>,
  keep: 'total' | 'sites',
): Collector {
  const collector = aggregation.collector(layout, keep, method.regression?.design);
  if (aggregation.sees === 'total') {
    return {
      add: collector.add,
      finish: (answers) => {
        const collected = collector.finish(answers);
        if ('problem' in collected || method.noise !== undefined) return collected;
        const why = impossibleTotal(collected.total);
        return why === undefined ? collected : impossibleTogether(why, aggregation);
      },
    };
  }
  let filled = 0;
  /** The share of the contribution whose parts are being added. */
  let current = 0;
  return {
    add(site, share) {
      if ('values' in share) {
        if ((share.first ?? 0) === 0) current = 0;
        const most = Math.max(current, ringShare(layout, share.values));
        filled += most - current;
        current = most;
      }
      collector.add(site, share);
    },
    finish: (answers) => (filled < 1 ? collector.finish(answers) : tooLargeTogether),
  };
}

/** Why an opened total is refused. Nobody can see which part of it is wrong, until sites let their parts be opened. */
function impossibleTogether(why: string, { helper }: Pick<Aggregation, 'helper'>): Failure {
  const problem = `the opened total is not the sum of any rows: ${why}`;
  return helper === undefined
    ? {
        problem,
        remedy:
          'a site has sent wrong numbers; where sites agree on masks their parts cannot be opened: make the study again without the doubtful one',
      }
    : {
        problem,
        remedy:
          'a site or the helper has sent wrong numbers: ask the sites to open theirs, or make the study again without the doubtful one',
        openable: true,
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
  return digestBytes(names, statisticView(total));
}
