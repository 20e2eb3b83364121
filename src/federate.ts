import { DataError } from './data-error.ts';
import type { Failure } from './failure.ts';
import type { Design } from './features/design.ts';
import { withAllowedRange } from './features/reference.ts';
import { studyDesign } from './features/study-design.ts';
import { estimateLayout } from './fusion/estimate-layout.ts';
import { ownEstimate } from './fusion/estimate-site.ts';
import { glmLayout } from './fusion/glm-layout.ts';
import { referenceCoefficients } from './fusion/glm-rows.ts';
import { glmSummarizer } from './fusion/glm-summary.ts';
import { privacyOf } from './fusion/private-study.ts';
import { resolve } from './fusion/resolve.ts';
import { errorsOf } from './model/errors.ts';
import type { Fit } from './model/fit.ts';
import { createReport, type Report, type SiteLine } from './model/report.ts';
import { withOriginal } from './model/unfold.ts';
import { mechanismOf } from './privacy/mechanism.ts';
import { placementOf } from './privacy/placement.ts';
import { privateColumns, privateLayout } from './privacy/private-layout.ts';
import { privateSummarizer } from './privacy/private-summary.ts';
import { newNonce } from './random/nonce.ts';
import type { WordSource } from './random/words.ts';
import {
  crossProductLayout,
  type Summarizer,
  type SummarizerOptions,
  type Summary,
  summarizer,
} from './statistic/cross-product.ts';
import { type Contribution, type ContributionTurn, firstTurn } from './statistic/envelope.ts';
import { type Layout, wordsOf } from './statistic/layout.ts';
import { ringAddInto } from './statistic/ring.ts';
import type { SitePart } from './statistic/site-part.ts';
import { type Statistic, statisticBytes, sumStatistics } from './statistic/statistic.ts';
import { canonicalJson } from './study/canonical-json.ts';
import type { Codebook, Column } from './study/codebook.ts';
import { digestBytes } from './study/digest.ts';
import { isGlm, type Study, studyDigest } from './study/study.ts';

/** A study and all that follows from it: every party derives the same, before any row is read. */
export interface Agreement {
  readonly study: Study;
  readonly digest: string;
  readonly design: Design;
  /** What a site sends. */
  readonly layout: Layout;
  /** What its rows are reduced to first: the same, unless it sends estimates of its own. */
  readonly rowsLayout: Layout;
  /** Columns a site reads, in the order a block carries them; the weights, or whose row it is, last. */
  readonly columns: readonly { readonly name: string; readonly column: Column }[];
}

/** What sites have sent: the total, and each site's share where that may be looked at. */
export interface Sent {
  readonly total: Statistic;
  /** Contributions that the total is the sum of. */
  readonly contributions: number;
  readonly parts?: readonly SitePart[];
}

/** Works out what a study means. */
export function agreement(study: Study): Agreement {
  const { fusion } = study;
  const design = studyDesign(study);
  const rowsLayout = layoutOf(study, design);
  const layout =
    fusion.kind === 'average' || fusion.kind === 'fesc'
      ? estimateLayout(rowsLayout, study, fusion, design)
      : rowsLayout;
  if (isGlm(fusion) && fusion.at !== undefined) referenceCoefficients(layout, fusion.at);
  const last = study.weights ?? study.privacy?.person;
  const names = last === undefined ? design.variables : [...design.variables, last];
  return {
    study,
    digest: studyDigest(study),
    design,
    layout,
    rowsLayout,
    columns: names.map((name) => ({ name, column: withAllowedRange(study.codebook[name]) })),
  };
}

function layoutOf(study: Study, design: Design): Layout {
  const { fusion, arithmetic, grid = 44, weights, codebook } = study;
  const terms = privacyOf(study);
  if (terms !== undefined) return privateLayout(design, terms);
  if (!isGlm(fusion)) {
    const largest = weights === undefined ? null : largestWeight(codebook, weights);
    return crossProductLayout(design, { arithmetic, grid, largestWeight: largest });
  }
  if (weights === undefined) return glmLayout(design, fusion.family, { arithmetic, grid });
  throw new DataError(
    'rows of a logistic or Poisson regression are not weighted',
    { column: weights },
    'leave the weights out of the study',
  );
}

function largestWeight(codebook: Codebook, name: string): number {
  const column = codebook[name];
  if (column?.type !== 'number' || column.range === undefined) {
    throw new DataError(
      'weights must be a number column with a range',
      { column: name },
      'give it a range in the codebook, such as [0, 10]',
    );
  }
  const [smallest, largest] = column.range;
  if (!(smallest >= 0 && largest > 0)) {
    throw new DataError(
      'weights must not be negative and not all zero',
      { column: name },
      'correct the weights, or the range the codebook gives them',
    );
  }
  return largest;
}

/** A site's half of the work: feed it blocks, take the sum. */
export function reduction(
  { design, rowsLayout: layout, study: { fusion, weights, privacy } }: Agreement,
  options: SummarizerOptions,
): Summarizer {
  if (privacy) return privateSummarizer(design, layout, privacy, options);
  if (isGlm(fusion)) return glmSummarizer(design, layout, fusion, options);
  return summarizer(design, layout, { ...options, ...(weights === undefined ? {} : { weights }) });
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
  { study, digest, layout }: Agreement,
  site: string,
  { statistic: sums, dropped }: Summary,
  turn: ContributionTurn = firstTurn,
): Contribution {
  const { privacy, fusion } = study;
  if (!privacy) {
    const sendsEstimate = fusion.kind === 'average' || fusion.kind === 'fesc';
    const statistic = sendsEstimate ? ownEstimate(layout, sums, fusion, site) : sums;
    return { study: digest, site, ...turn, dropped, statistic };
  }
  const { atSite } = placementOf(privacy);
  return {
    study: digest,
    site,
    ...turn,
    dropped: 0, // how many rows were left out is a fact about them
    nonce: newNonce(),
    statistic: atSite(sums, mechanismOf(privacy, privateColumns(layout))),
  };
}

/** What may be looked at: all that was sent, or of a private study its total with noise and nothing else. */
export function published(
  { study: { privacy }, layout }: Agreement,
  { total, parts, contributions }: Sent,
  words?: WordSource,
): Sent {
  if (!privacy) return { total, contributions, ...(parts === undefined ? {} : { parts }) };
  const mechanism = mechanismOf(privacy, privateColumns(layout));
  return { total: placementOf(privacy).onTotal(total, mechanism, words), contributions };
}

/** The coordinator's half: adds the contributions and resolves the sum. */
export function conclusion(
  agreed: Agreement,
  contributions: Iterable<Contribution>,
): {
  readonly total: Statistic;
  readonly fit: Fit | Failure;
  readonly parts: readonly SitePart[];
} {
  const { total, parts } = sourcesOf(agreed, contributions);
  const fit = agreed.study.privacy ? unpublished : resolve(agreed.study.fusion, total, parts);
  return { total, fit, parts };
}

const unpublished: Failure = {
  problem: 'the study is private: nothing is resolved from its exact total',
  remedy: 'findings(agreed, published(agreed, sourcesOf(agreed, contributions)), sites)',
};

/** The total of contributions, and each site's share of it. */
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

/** A fit in its public shape, named by the digest of study, layout and total. */
export function report(
  agreed: Agreement,
  total: Statistic,
  fit: Fit,
  sites: readonly SiteLine[],
  formula: string = agreed.study.formula,
): Report {
  const made = createReport(fit, { formula, sites, digest: totalDigest(agreed, total) });
  const models = fit.models.map(({ terms, estimates }, r) => ({
    terms,
    estimates,
    covariance: () => errorsOf(fit, r)?.covariance,
  }));
  return withOriginal(made, agreed.design, models);
}

/** The name of a total: SHA-256 of study, layout and total. */
export function totalDigest({ digest, layout }: Agreement, total: Statistic): string {
  const names = new TextEncoder().encode(canonicalJson({ study: digest, layout }));
  return digestBytes(names, statisticBytes(total));
}
