import type { Aggregation, Answer, Collected, Share } from './aggregation/aggregation.ts';
import { aggregationOf } from './aggregation/aggregations.ts';
import { DataError } from './data-error.ts';
import type { Failure } from './failure.ts';
import { methodOf } from './fusion/fusions.ts';
import type { Method, ReadColumn, Regression } from './fusion/method.ts';
import { newNonce } from './random/nonce.ts';
import type { WordSource } from './random/words.ts';
import type { Summarizer, SummarizerOptions, Summary } from './statistic/cross-product.ts';
import {
  type Contribution,
  type ContributionTurn,
  type Decoded,
  decodeContribution,
  firstTurn,
} from './statistic/envelope.ts';
import { type Layout, wordsOf } from './statistic/layout.ts';
import { ringAddInto } from './statistic/ring.ts';
import { type Statistic, statisticBytes } from './statistic/statistic.ts';
import { canonicalJson } from './study/canonical-json.ts';
import type { Codebook } from './study/codebook.ts';
import { digestBytes } from './study/digest.ts';
import { isTableStudy, type Study, studyDigest } from './study/study.ts';

/** A study and all that follows from it: every party derives the same, before any row is read. */
export interface Agreement {
  readonly study: Study;
  readonly digest: string;
  /** What its sites do, and what is made of their sum. */
  readonly method: Method;
  /** How statistics are added, and who sees them. */
  readonly aggregation: Aggregation;
  /** What a site sends. */
  readonly layout: Layout;
  /** What its rows are reduced to first: the same, unless it sends an estimate of its own. */
  readonly rowsLayout: Layout;
  /** Columns a site reads, in the order a block carries them. */
  readonly columns: readonly ReadColumn[];
}

/** Agreements kept in memory. */
const MOST_KEPT = 32;
const kept = new Map<string, Agreement>();

/** Works out what a study means; once a process, of a copy that nobody can change. */
export function agreement(study: Study): Agreement {
  // Not by the digest: "." stands for the columns in the order of the codebook, of which the digest says nothing.
  const text = JSON.stringify(study);
  const known = kept.get(text);
  if (known !== undefined) return known;
  const own: Study = JSON.parse(text);
  const agreed = agreementBy(own, methodOf(own), aggregationOf(own));
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
  kept.set(text, agreed);
  return agreed;
}

/** What a study means by a method and an aggregation, whether or not the registries have them. */
export function agreementBy(study: Study, method: Method, aggregation: Aggregation): Agreement {
  if (method.needsParts && aggregation.sees === 'total') {
    throw new DataError(
      'the method looks at the sites one by one, and the aggregation shows their sum alone',
      {},
      'take another method, or plain aggregation',
    );
  }
  const { layout, rowsLayout, columns } = method;
  return { study, digest: studyDigest(study), method, aggregation, layout, rowsLayout, columns };
}

/** The columns that sites read, by name: those of the codebook, or those that the method has described. */
export function codebookIn({ study, columns }: Pick<Agreement, 'study' | 'columns'>): Codebook {
  if (isTableStudy(study)) return study.codebook;
  return Object.fromEntries(columns.map(({ name, column }) => [name, column]));
}

/** What a study has that reads a table by a formula; refuses a study that does not. */
export function regressionOf({ method: { regression } }: Pick<Agreement, 'method'>): Regression {
  if (regression !== undefined) return regression;
  throw new DataError(
    'the study has no formula',
    {},
    'this is for regressions of a table: give such a study',
  );
}

/** A site's half of the work: feed it blocks, take the sum. */
export function reduction({ method }: Agreement, options: SummarizerOptions): Summarizer {
  return method.summarize(options);
}

/** Reductions of parts of one site's rows are the reduction of all of them. */
export function joinSummaries<L extends Layout>(layout: L, parts: readonly Summary[]): Summary<L> {
  const values = new Uint32Array(parts[0].statistic.values.length);
  const missing: Record<string, number> = {};
  for (const part of parts) {
    ringAddInto(values, part.statistic.values, wordsOf(layout));
    for (const [column, count] of Object.entries(part.missing)) {
      missing[column] = (missing[column] ?? 0) + count;
    }
  }
  const sum = (count: (part: Summary) => number) => parts.reduce((s, part) => s + count(part), 0);
  return {
    statistic: { layout, values },
    rows: sum((part) => part.rows),
    dropped: sum((part) => part.dropped),
    missing,
    ...(parts[0].clipped === undefined ? {} : { clipped: sum(({ clipped = 0 }) => clipped) }),
  };
}

/** The one message of a site; `turn` is for sites that add or replace rows later. */
export function contribution(
  { digest, method, aggregation, layout }: Agreement,
  site: string,
  { statistic: sums, dropped }: Summary,
  turn: ContributionTurn = firstTurn,
): Contribution {
  const header = { study: digest, site, ...turn };
  const shares = aggregation.split(method.release(sums, site), header);
  const sent = { ...header, statistic: { layout, values: sentNumbers(shares) } };
  // In a private study, how many rows were left out is a fact about them.
  return method.noise === undefined
    ? { ...sent, dropped }
    : { ...sent, dropped: 0, nonce: newNonce() };
}

/** What the coordinator is sent. A share for somebody else has no place in the message yet, and must not be lost unsaid. */
function sentNumbers([own, ...others]: readonly Share[]): Statistic['values'] {
  if (!('values' in own)) {
    throw new RangeError('the first share is the coordinator’s, and has numbers');
  }
  if (others.length === 0) return own.values;
  throw new RangeError('a contribution carries the share of the coordinator alone');
}

/** Reads a contribution to the study; anything a site could not have sent is refused by name. */
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

/** The total of contributions, with what other parties answer, and each site's statistic where the aggregation shows it. */
export function collect(
  { layout, aggregation }: Agreement,
  contributions: Iterable<Contribution>,
  answers?: readonly Answer[],
): Collected | Failure {
  const collector = aggregation.collector(layout, aggregation.sees);
  for (const { site, statistic } of contributions) {
    collector.add(site, { values: statistic.values });
  }
  return collector.finish(answers);
}

/** What may be looked at: all that was sent; in a private study the total with noise and nothing else. */
export function published(
  { method: { noise } }: Agreement,
  sent: Collected,
  words?: WordSource,
): Collected {
  if (noise === undefined) return sent;
  return { total: noise.onTotal(sent.total, words), contributions: sent.contributions };
}

/** The name of a total: SHA-256 of study, layout and total. */
export function totalDigest({ digest, layout }: Agreement, total: Statistic): string {
  const names = new TextEncoder().encode(canonicalJson({ study: digest, layout }));
  return digestBytes(names, statisticBytes(total));
}
