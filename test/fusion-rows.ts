import type { Collected } from '../src/aggregation/aggregation.ts';
import { conclude } from '../src/conclude.ts';
import {
  type Agreement,
  agreement,
  collect,
  contribution,
  openly,
  reduction,
} from '../src/federate.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import type { Report, SiteLine } from '../src/model/report.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { keyedWords } from '../src/random/keyed-words.ts';
import type { WordSource } from '../src/random/words.ts';
import type { Summary } from '../src/statistic/cross-product.ts';
import type { Contribution } from '../src/statistic/envelope.ts';
import type { Fusion, PrivacyTerms, Study, TableStudy } from '../src/study/study.ts';
import { toBase64url } from '../src/text/base64url.ts';
import { type Table, tableOf } from './tables.ts';

/** A fusion with terms of its own, as the laws ask for it. */
export interface FusionRow {
  readonly name: string;
  readonly study: Study;
  /** What everyone works out from the study. */
  agreed(study: Study): Agreement;
  parse(json: unknown): Study;
}

const ROWS = 120;
const ids = Array.from({ length: ROWS }, (_, r) => r);
const some = (step: number, modulus: number) => ids.map((r) => (r * step) % modulus);
const x = some(104_729, 97).map((k) => k / 8);
const z = some(1_299_709, 89).map((k) => k / 2 - 20);
const g = some(31, 3);
const noise = some(7919, 101).map((k) => k / 20 - 2.5);
const drawn = noise.map((e, r) => x[r] - 6 + g[r] + 2 * e);

/** Rows of everything that a fusion reads: numbers, a category, a yes or no, a count, weights and people. */
export const table: Table = {
  ...tableOf(
    {
      y: noise.map((e, r) => 2 + 0.5 * x[r] - 0.1 * z[r] + g[r] + e),
      x: x.map((value, r) => (r === 17 ? Number.NaN : value)),
      z,
      g,
      b: drawn.map((value) => (value > 0 ? 1 : 0)),
      c: drawn.map((value) => Math.max(0, Math.round(value / 2 + 2))),
      w: some(37, 5).map((k) => (k + 1) / 4),
    },
    { g: ['i', 'ii', 'iii'] },
  ),
};
const cells = { ...table.cells, person: Float64Array.from(ids) };
/** The same with whose row each of them is. */
export const rows: Table = { ...table, cells };

/** Rows of the sites, of unlike sizes. */
export const sites: Readonly<Record<string, readonly number[]>> = {
  west: ids.slice(0, 40),
  east: ids.slice(40, 66),
  north: ids.slice(66, 100),
  south: ids.slice(100),
};

const base: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x + z + g',
  codebook: { ...table.codebook, person: { type: 'id' } },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};

const privacy: PrivacyTerms = { epsilon: 8, delta: 1e-6, unit: 'row' };
const keyOf = (letter: string) => toBase64url(new Uint8Array(32).fill(letter.charCodeAt(0)));
const twoAggregators: TableStudy['aggregation'] = {
  kind: 'two-aggregators',
  helper: { url: 'http://127.0.0.1:7701', key: keyOf('h'), signingKey: keyOf('s') },
  roster: { west: keyOf('a'), east: keyOf('b'), north: keyOf('c'), south: keyOf('d') },
  minimumSites: 3,
};
const logistic = { formula: 'b ~ x + z', fusion: { kind: 'glm', family: 'binomial' } } as const;
const counts = { formula: 'c ~ x + z', fusion: { kind: 'glm', family: 'poisson' } } as const;
const at = { '(Intercept)': -1, x: 0.2, z: 0.01 };
const trained = {
  network: { layers: [{ kind: 'dense', units: 3 }, { kind: 'relu' }] },
  training: { epochs: 2, batch: 8 },
} as const;
const ofClasses = (fusion: Fusion): Partial<TableStudy> => ({ formula: 'g ~ x + z', fusion });

const studies: Readonly<Record<string, Study | Partial<TableStudy>>> = {
  'least squares': {},
  'least squares, no intercept': { formula: 'y ~ x + g - 1' },
  'least squares, two responses': { formula: 'cbind(y, z) ~ x + g' },
  'least squares, weighted': { weights: 'w' },
  'least squares, compact': { arithmetic: 'compact' },
  'least squares, a grid of 66 bits': { grid: 66 },
  'least squares, a grid of 88 bits': { grid: 88 },
  'least squares, projected': { features: [{ kind: 'projection', dimension: 2, seed: 7 }] },
  'ridge by number': { fusion: { kind: 'ridge', ridge: 1.5, standardize: true } },
  'ridge by gcv': { fusion: { kind: 'ridge', ridge: 'gcv' } },
  'ridge by marginal likelihood': { fusion: { kind: 'ridge', ridge: 'marginal-likelihood' } },
  'ridge by left-out sites': { fusion: { kind: 'ridge', ridge: 'leave-one-site-out' } },
  'ridge by folds': { fusion: { kind: 'ridge', ridge: 'k-fold', folds: 2 } },
  lasso: { fusion: { kind: 'ridge', ridge: 0, lasso: { lambda: 0.2 } } },
  'lasso by left-out sites': {
    fusion: { kind: 'ridge', ridge: 0, lasso: { lambda: 'leave-one-site-out', mix: 0.5 } },
  },
  'clustered errors': { fusion: { kind: 'ridge', ridge: 0, errors: 'clustered' } },
  'fixed site effects': { fusion: { kind: 'ridge', ridge: 0, siteEffects: 'fixed' } },
  'random site effects': { fusion: { kind: 'ridge', ridge: 0, siteEffects: 'random' } },
  'discriminant analysis': { formula: 'g ~ x + z', fusion: { kind: 'discriminant' } },
  'discriminant analysis, shrunk': {
    formula: 'g ~ x + z + c',
    fusion: { kind: 'discriminant', shrinkage: 'gcv' },
  },
  'discriminant analysis by left-out sites': {
    formula: 'g ~ x + z',
    fusion: { kind: 'discriminant', shrinkage: 'leave-one-site-out' },
  },
  'naive Bayes, weighted': {
    formula: 'g ~ x + z',
    weights: 'w',
    fusion: { kind: 'naive-bayes' },
  },
  'naive Bayes of projected columns': {
    formula: 'g ~ x + z + c',
    fusion: { kind: 'naive-bayes' },
    features: [{ kind: 'projection', dimension: 2, seed: 7 }],
  },
  'ridge on a category': { formula: 'g ~ x + z', fusion: { kind: 'ridge', ridge: 'gcv' } },
  logistic,
  'logistic with a ridge prior': { ...logistic, fusion: { ...logistic.fusion, prior: 0.1 } },
  'logistic, a further round': { ...logistic, fusion: { ...logistic.fusion, at } },
  'logistic under its old name': { ...logistic, fusion: { ...logistic.fusion, kind: 'fisher' } },
  poisson: counts,
  'poisson, a further round': { ...counts, fusion: { ...counts.fusion, at } },
  'poisson, compact': { ...counts, arithmetic: 'compact' },
  'poisson, weighted rows and an offset': {
    ...counts,
    formula: 'c ~ x + z + offset(z / 50)',
    weights: 'w',
    fusion: { ...counts.fusion, remainder: 'expected', ridge: 1 },
  },
  'logistic, errors clustered by site': {
    ...logistic,
    fusion: { ...logistic.fusion, errors: 'clustered' },
  },
  'logistic, squares of scores': {
    ...logistic,
    weights: 'w',
    fusion: { ...logistic.fusion, remainder: 'expected', errors: 'HC1', at },
  },
  average: { fusion: { kind: 'average' } },
  'average of ridges with covariance': { fusion: { kind: 'average', ridge: 1, covariance: true } },
  fesc: { fusion: { kind: 'fesc' } },
  'fesc with covariance': { fusion: { kind: 'fesc', covariance: true } },
  'network average': ofClasses({ kind: 'network-average', ...trained }),
  'network average of numbers': { fusion: { kind: 'network-average', ...trained } },
  'network average, two responses': {
    formula: 'cbind(y, z) ~ x + g',
    fusion: { kind: 'network-average', ...trained },
  },
  'network average, last layer by class': ofClasses({
    kind: 'network-average',
    ...trained,
    lastLayer: 'by-class',
  }),
  otfusion: ofClasses({ kind: 'otfusion', ...trained, starts: 'own' }),
  pfnm: ofClasses({ kind: 'pfnm', ...trained }),
  'fisher, full': ofClasses({ kind: 'fisher-full', ...trained }),
  'fisher, full, of numbers': { fusion: { kind: 'fisher-full', ...trained, server: 'descent' } },
  'fisher, diagonal': ofClasses({ kind: 'fisher-diagonal', ...trained }),
  'fisher, diagonal, the paper’s server': ofClasses({
    kind: 'fisher-diagonal',
    ...trained,
    server: 'paper',
  }),
  'fisher, Kronecker factors': ofClasses({ kind: 'fisher-kfac', ...trained }),
  'fisher, Kronecker factors, drawn labels': ofClasses({
    kind: 'fisher-kfac',
    ...trained,
    labels: 'drawn',
    server: 'descent',
  }),
  'fisher, diagonal, compressed': ofClasses({
    kind: 'fisher-diagonal',
    ...trained,
    compression: { bits: 12, rounding: 'ceil' },
  }),
  'fisher, Kronecker factors, compressed': ofClasses({
    kind: 'fisher-kfac',
    ...trained,
    compression: { rank: 2 },
  }),
  'fisher merge': ofClasses({ kind: 'fisher-merge', ...trained }),
  regmean: ofClasses({ kind: 'regmean', ...trained }),
  dense: ofClasses({
    kind: 'dense',
    ...trained,
    distillation: { batches: 2, batch: 8, steps: 3, width: 8, passes: 1 },
  }),
  'regmean of numbers': { fusion: { kind: 'regmean', ...trained, shrink: 0.5 } },
  'private, noise at the coordinator': { privacy },
  'private, noise at the sites': { privacy: { ...privacy, placement: 'local' } },
  'private, noise at both aggregators': {
    privacy: { ...privacy, placement: 'aggregators' },
    aggregation: twoAggregators,
  },
  'private by person': {
    privacy: { ...privacy, unit: 'person', person: 'person', rowsPerPerson: 2 },
  },
  'private labels': { privacy: { ...privacy, protects: 'labels' } },
  'private, replace one': { privacy: { ...privacy, neighbours: 'replace-one' } },
  'private, rounds planned': { privacy: { ...privacy, rounds: 2 } },
};

/** A study over the table: what it chooses beside a formula, or all of one that has none. */
export function studyOver(choices: Study | Partial<TableStudy>): Study {
  return isWhole(choices) ? choices : { ...base, ...choices };
}

function isWhole(choices: Study | Partial<TableStudy>): choices is Study {
  return choices.schema !== undefined;
}

const registered = Object.entries(studies).map(
  ([name, choices]): FusionRow => ({
    name,
    study: studyOver(choices),
    // One process has all rows: no helper is asked.
    agreed: (study) => openly(agreement(study)),
    parse: parseStudy,
  }),
);

/** What noise on a total is drawn from in tests: the same each time it is asked for. */
export function fixedNoise(): WordSource {
  return keyedWords(new Uint8Array(32).fill(7), 'total');
}

const kernels = createKernels();

/** What a site makes of some rows, read in blocks. */
export function sumsOver(agreed: Agreement, own: readonly number[], blockRows = 50): Summary {
  return kernels.scoped(() => {
    const site = reduction(agreed, { file: 'site.csv', missing: 'drop', kernels, fewRows: true });
    for (let from = 0; from < own.length; from += blockRows) {
      const part = own.slice(from, from + blockRows);
      const columns = agreed.columns.map(({ name }) =>
        Float64Array.from(part, (r) => rows.cells[name][r]),
      );
      site.add({ rows: part.length, columns }, (r) => part[r] + 1);
    }
    return site.finish();
  });
}

export function contributionsTo(
  agreed: Agreement,
  dealt: Readonly<Record<string, readonly number[]>> = sites,
): Contribution[] {
  return Object.entries(dealt).map(([site, own]) =>
    contribution(agreed, site, sumsOver(agreed, own)),
  );
}

/** What contributions add up to, and each site's statistic. */
export function collected(
  agreed: Agreement,
  contributions: readonly Contribution[],
): Required<Collected> {
  const found = collect(agreed, contributions);
  if ('problem' in found) throw new Error(found.problem);
  const { parts = [] } = found;
  return { ...found, parts };
}

/** Names and numbers of rows, as a coordinator knows them. */
export function linesOf(contributions: readonly Contribution[]): SiteLine[] {
  return contributions.map(({ site, dropped }) => ({ name: site, n: sites[site].length, dropped }));
}

/** The report of contributions, sites by name; throws where there is none. */
export function reportOn(agreed: Agreement, contributions: readonly Contribution[]): Report {
  const found = conclude(agreed, collected(agreed, contributions), {
    sites: linesOf(contributions),
    random: fixedNoise(),
    audience: 'owner',
  });
  if ('problem' in found) throw new Error(found.problem);
  const { report } = found;
  return { ...report, sites: report.sites.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** The round that follows a private first one. */
function privateRefinement(): FusionRow {
  const first = agreement(studyOver(studies['private, rounds planned']));
  const next = first.method.rounds?.next(reportOn(first, contributionsTo(first)));
  if (next === undefined || 'problem' in next) throw new Error('no further round');
  return { name: 'private, a further round', study: next, agreed: agreement, parse: parseStudy };
}

/** Rows for every fusion of the registry. */
export const registeredRows: readonly FusionRow[] = [...registered, privateRefinement()];
