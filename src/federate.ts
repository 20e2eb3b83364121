import type { Design } from './features/design.ts';
import { methodOf } from './fusion/fusions.ts';
import type { Method, ReadColumn, Sent } from './fusion/method.ts';
import { newNonce } from './random/nonce.ts';
import type { WordSource } from './random/words.ts';
import type { Summarizer, SummarizerOptions, Summary } from './statistic/cross-product.ts';
import { type Contribution, type ContributionTurn, firstTurn } from './statistic/envelope.ts';
import { type Layout, wordsOf } from './statistic/layout.ts';
import { ringAddInto } from './statistic/ring.ts';
import type { SitePart } from './statistic/site-part.ts';
import { type Statistic, statisticBytes, sumStatistics } from './statistic/statistic.ts';
import { canonicalJson } from './study/canonical-json.ts';
import { digestBytes } from './study/digest.ts';
import { type Study, studyDigest } from './study/study.ts';

export type { Sent } from './fusion/method.ts';

/** A study and all that follows from it: every party derives the same, before any row is read. */
export interface Agreement {
  readonly study: Study;
  readonly digest: string;
  /** What its sites do, and what is made of their sum. */
  readonly method: Method;
  readonly design: Design;
  /** What a site sends. */
  readonly layout: Layout;
  /** What its rows are reduced to first: the same, unless it sends an estimate of its own. */
  readonly rowsLayout: Layout;
  /** Columns a site reads, in the order a block carries them. */
  readonly columns: readonly ReadColumn[];
}

/** Agreements kept in memory. */
const MOST_KEPT = 32;
const byDigest = new Map<string, Agreement>();

/** Works out what a study means; once a process, since a study never changes. */
export function agreement(study: Study): Agreement {
  const digest = studyDigest(study);
  const known = byDigest.get(digest);
  if (known !== undefined) return known;
  const agreed = agreementBy(study, methodOf(study), digest);
  if (byDigest.size >= MOST_KEPT) byDigest.delete(byDigest.keys().next().value as string);
  byDigest.set(digest, agreed);
  return agreed;
}

/** What a study means by a method that is already known. */
export function agreementBy(
  study: Study,
  method: Method,
  digest: string = studyDigest(study),
): Agreement {
  const { design, layout, rowsLayout, columns } = method;
  return { study, digest, method, design, layout, rowsLayout, columns };
}

/** A site's half of the work: feed it blocks, take the sum. */
export function reduction({ method }: Agreement, options: SummarizerOptions): Summarizer {
  return method.summarize(options);
}

/** Reductions of parts of one site's rows are the reduction of all of them. */
export function joinSummaries(layout: Layout, parts: readonly Summary[]): Summary {
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
  { digest, method }: Agreement,
  site: string,
  { statistic: sums, dropped }: Summary,
  turn: ContributionTurn = firstTurn,
): Contribution {
  const sent = { study: digest, site, ...turn, statistic: method.release(sums, site) };
  // In a private study, how many rows were left out is a fact about them.
  return method.noise === undefined
    ? { ...sent, dropped }
    : { ...sent, dropped: 0, nonce: newNonce() };
}

/** The total of contributions, and each site's statistic. */
export function sourcesOf(
  { layout }: Agreement,
  contributions: Iterable<Contribution>,
): Required<Sent> {
  const all = [...contributions];
  const parts = partsOf(layout, all);
  const total = sumStatistics(
    layout,
    parts.map(({ statistic }) => statistic),
  );
  return { total, parts, contributions: all.length };
}

/** What each site has sent in all, by name. */
function partsOf(layout: Layout, contributions: Iterable<Contribution>): SitePart[] {
  const bySite = new Map<string, Statistic[]>();
  for (const { site, statistic } of contributions) {
    bySite.set(site, [...(bySite.get(site) ?? []), statistic]);
  }
  return Array.from(bySite, ([site, [first, ...more]]) => ({
    site,
    statistic: more.length === 0 ? first : sumStatistics(layout, [first, ...more]),
  }));
}

/** What may be looked at: all that was sent; in a private study the total with noise and nothing else. */
export function published({ method: { noise } }: Agreement, sent: Sent, words?: WordSource): Sent {
  if (noise === undefined) return sent;
  return { total: noise.onTotal(sent.total, words), contributions: sent.contributions };
}

/** The name of a total: SHA-256 of study, layout and total. */
export function totalDigest({ digest, layout }: Agreement, total: Statistic): string {
  const names = new TextEncoder().encode(canonicalJson({ study: digest, layout }));
  return digestBytes(names, statisticBytes(total));
}
