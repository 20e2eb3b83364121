// Makes studies.json, as commit 54a254b does: what the wire, the digests and the reports were before fusions became
// values (issue 15). It calls the library of that commit and no later one, so it is run there and not type-checked here:
//   git worktree add ../landed 54a254b && cd ../landed && npm install
//   mkdir -p test/vectors/landed && cp …/test/vectors/landed/make.ts test/vectors/landed/
//   npx tsx test/vectors/landed/make.ts
// Local noise is random: a second run makes other files and reports of those three studies, and all else the same.
import { writeFileSync } from 'node:fs';
import {
  type Agreement,
  agreement,
  contribution,
  published,
  reduction,
  sourcesOf,
  totalDigest,
} from '../../../src/federate.ts';
import { findings, unpublishable } from '../../../src/findings.ts';
import { refine } from '../../../src/fusion/refine.ts';
import { nextPrivateRound } from '../../../src/fusion/refine-private.ts';
import type { Report } from '../../../src/model/report.ts';
import { finiteJson } from '../../../src/text/finite-json.ts';
import { createKernels } from '../../../src/numeric/kernels.ts';
import { keyedWords } from '../../../src/random/keyed-words.ts';
import { encodeContribution } from '../../../src/statistic/envelope.ts';
import { rowCount, statisticBytes, sumStatistics } from '../../../src/statistic/statistic.ts';
import { canonicalJson } from '../../../src/study/canonical-json.ts';
import { digestBytes } from '../../../src/study/digest.ts';
import { parseStudy } from '../../../src/study/schema.ts';
import type { TableStudy } from '../../../src/study/study.ts';

type Cells = Readonly<Record<string, readonly (number | null)[]>>;
type Table = Readonly<Record<string, Cells>>;
const kernels = createKernels();

// Rows by arithmetic on row numbers: no draw, and decimals that are exact in JSON.
const columns: Readonly<Record<string, (r: number, k: number) => number | null>> = {
  x: (r) => ((r * 104729) % 97) / 8,
  z: (r) => (r % 41 === 17 ? null : ((r * 1299709) % 89) / 16 - 2.5),
  p: (r) => 0.25 + ((r * 7907) % 61) / 10,
  g: (r) => (r * 31) % 3,
  h: (r) => (r % 37 === 11 ? null : (r * 17) % 2),
  y: (r, k) =>
    ((r * 104729) % 97) / 16 + ((r * 31) % 3) * 1.5 + ((r * 7919) % 101) / 25 + (k - 1) * 0.75,
  v: (r) => ((r * 104723) % 83) / 4 - ((r * 1299709) % 89) / 8,
  c: (r) => ((r * 7) % 5) + Math.floor(((r * 104729) % 97) / 40),
  e: (r) => (((r * 104729) % 97) / 8 + ((r * 7919) % 101) / 6 > 13 ? 1 : 0),
  w: (r) => (r % 13 === 5 ? 0 : ((r * 11) % 8) / 4 + 0.25),
  who: (r) => r - (r % 3),
  '.site': (_, k) => k,
};

function tableOf(sizes: readonly number[]): Table {
  let from = 0;
  return Object.fromEntries(
    sizes.map((size, k) => {
      const rows = Array.from({ length: size }, (_, r) => from + r + 1);
      from += size;
      const cells = Object.entries(columns).map(([name, cell]) => [name, rows.map((r) => cell(r, k))]);
      return [['north', 'south', 'west'][k], Object.fromEntries(cells)];
    }),
  );
}

const tables: Readonly<Record<string, Table>> = {
  usual: tableOf([60, 45, 30]),
  few: tableOf([5, 4, 3]),
};

const codebook: Study['codebook'] = {
  x: { type: 'number', unit: 'mm', range: [0, 13] },
  z: { type: 'number', range: [-3, 4], missing: ['NA'] },
  p: { type: 'number', range: [0.125, 8] },
  g: { type: 'category', levels: ['a', 'b', 'c'] },
  h: { type: 'category', levels: ['no', 'yes'], baseline: 'yes' },
  y: { type: 'number', range: [-2, 20] },
  v: { type: 'number', range: [-12, 24] },
  c: { type: 'number', range: [0, 10] },
  e: { type: 'number', range: [0, 1] },
  w: { type: 'number', range: [0, 2.5] },
};
const units: Study['codebook'] = {
  ...codebook,
  x: { type: 'number', range: [0, 13], center: 6, sd: 3.5 },
  z: { type: 'number', range: [-3, 4], sd: 1.6 },
  y: { type: 'number', range: [-2, 20], center: 7, sd: 3 },
};
const usual: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x + z + g',
  codebook,
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};
const ridge = (fusion: object, more: object = {}): TableStudy =>
  ({ ...usual, fusion: { kind: 'ridge', ...fusion }, ...more }) as Study;
const binomial = (fusion: object = {}, more: object = {}): TableStudy =>
  ({
    ...usual,
    formula: 'I(e == 1) ~ x + z + h',
    fusion: { kind: 'fisher', family: 'binomial', ...fusion },
    ...more,
  }) as Study;
const poisson = (fusion: object = {}, more: object = {}): TableStudy =>
  ({
    ...usual,
    formula: 'c ~ x + g',
    fusion: { kind: 'fisher', family: 'poisson', ...fusion },
    ...more,
  }) as Study;
const estimates = (fusion: object, more: object = {}): TableStudy => ({ ...usual, fusion, ...more }) as Study;
const secret = (privacy: object, more: object = {}): TableStudy =>
  ({
    ...usual,
    formula: 'y ~ x + z',
    codebook: units,
    privacy: { epsilon: 20, delta: 1e-5, unit: 'row', ...privacy },
    ...more,
  }) as Study;
const projected = [{ kind: 'projection', dimension: 3, seed: 5 }];
const person = { unit: 'person', person: 'who', rowsPerPerson: 3 };
const withPersons = { codebook: { ...units, who: { type: 'id' } } };

/** The next round of a study, from what it finds in the table. */
function next(study: Study): TableStudy {
  const { report } = concluded(agreement(study), made(study, tables.usual));
  if (study.fusion.kind === 'fisher') {
    return refine(study, Object.fromEntries(report!.terms!.map((t) => [t.term, t.estimate])));
  }
  const refined = nextPrivateRound(study, report!);
  if ('problem' in refined) throw new Error(refined.problem);
  return refined;
}

const twoRounds = secret({ rounds: 2 });
const localRounds = secret({ placement: 'local', rounds: 1 });
const cases: Readonly<Record<string, TableStudy>> = {
  'least squares': usual,
  'least squares, all that a study may say of itself': ridge(
    { ridge: 0, errors: 'classical' },
    {
      name: 'Ünïversal',
      aggregation: { kind: 'plain' },
      privacy: null,
      disclosure: { profile: 'datashield', thresholds: { rows: 5, dominance: [0.9, 0.95] } },
      quorum: { sites: 3, deadline: '2031-01-01T00:00:00Z' },
      evaluation: { bins: 10, smallest: 3 },
    },
  ),
  'ridge by number': ridge({ ridge: 2.5 }),
  'ridge, standardized': ridge({ ridge: 0.5, standardize: true }),
  'ridge by gcv': ridge({ ridge: 'gcv' }),
  'ridge by leave-one-site-out': ridge({ ridge: 'leave-one-site-out', prefer: 'one-standard-error' }),
  'ridge by k-fold': ridge({ ridge: 'k-fold', folds: 3, prefer: 'minimum' }),
  'ridge by marginal likelihood': ridge({ ridge: 'marginal-likelihood', standardize: true }),
  lasso: ridge({ ridge: 0, lasso: { lambda: 0.125 } }),
  'elastic net by leave-one-site-out': ridge({ ridge: 0, lasso: { lambda: 'leave-one-site-out', mix: 0.5 } }),
  'clustered errors': ridge({ ridge: 0, errors: 'clustered' }),
  'fixed site effects': ridge({ ridge: 0, siteEffects: 'fixed' }),
  'random site effects': ridge({ ridge: 0, siteEffects: 'random' }),
  'random site effects by ml': ridge({ ridge: 0, siteEffects: 'random-ml' }),
  'site in the formula': ridge(
    { ridge: 0 },
    {
      formula: 'y ~ x + .site',
      codebook: { ...codebook, '.site': { type: 'category', levels: ['north', 'south', 'west'] } },
    },
  ),
  'no intercept': ridge({ ridge: 0 }, { formula: 'y ~ x + z + g - 1' }),
  'arithmetic, interactions': ridge({ ridge: 0 }, { formula: 'log(p) ~ x*h + I(z^2) + sqrt(p):g' }),
  'several responses': ridge({ ridge: 1 }, { formula: 'cbind(y, v, p) ~ x + h' }),
  'category response': ridge({ ridge: 0 }, { formula: 'g ~ x + z + v' }),
  'comparison as response': ridge({ ridge: 0 }, { formula: 'I(g == "b") ~ x + z' }),
  'exact on 66 bits': ridge({ ridge: 0 }, { grid: 66 }),
  'exact on 88 bits': ridge({ ridge: 'gcv' }, { grid: 88 }),
  'exact on 44 bits, as said': ridge({ ridge: 0 }, { grid: 44 }),
  compact: ridge({ ridge: 0.25 }, { arithmetic: 'compact' }),
  weights: ridge({ ridge: 0 }, { weights: 'w' }),
  'weights, compact': ridge({ ridge: 1 }, { weights: 'w', arithmetic: 'compact' }),
  'weights on 88 bits, no intercept': ridge({ ridge: 0 }, { weights: 'w', grid: 88, formula: 'y ~ x + z - 1' }),
  'stated references': ridge(
    { ridge: 0 },
    { codebook: { ...codebook, x: { type: 'number', range: [0, 13], center: 5, scale: 8 } } },
  ),
  binomial: binomial(),
  'binomial, firth said': binomial({ prior: 'firth' }, { formula: 'h ~ x + p' }),
  'binomial with a prior by number': binomial({ prior: 0.5 }),
  'binomial, second round': next(binomial()),
  'binomial, no intercept': binomial({}, { formula: 'e ~ x + g - 1' }),
  'binomial, compact': binomial({}, { arithmetic: 'compact' }),
  poisson: poisson(),
  'poisson with a prior by number, 66 bits': poisson({ prior: 2 }, { grid: 66 }),
  'poisson, second round': next(poisson()),
  average: estimates({ kind: 'average' }),
  'average with ridge and covariance': estimates({ kind: 'average', ridge: 1.5, covariance: true }),
  'average of several responses': estimates({ kind: 'average' }, { formula: 'cbind(y, v) ~ x + h' }),
  fesc: estimates({ kind: 'fesc' }),
  'fesc with covariance': estimates({ kind: 'fesc', covariance: true }),
  'fesc with ridge, no intercept': estimates({ kind: 'fesc', ridge: 0.75 }, { formula: 'y ~ x + z - 1' }),
  'fesc on 66 bits': estimates({ kind: 'fesc', covariance: true }, { grid: 66 }),
  'fesc with a comparison as response': estimates({ kind: 'fesc' }, { formula: 'I(g == "b") ~ x + v' }),
  'ridge on a projection': ridge({ ridge: 0 }, { features: projected, formula: 'y ~ x + z + g + v' }),
  'ridge on a projection, no intercept, standardized': ridge(
    { ridge: 0.5, standardize: true },
    { features: projected, formula: 'y ~ x + z + p + v - 1' },
  ),
  'binomial on a projection': binomial({}, { features: projected, formula: 'e ~ x + z + g + p' }),
  'fesc on a projection': estimates({ kind: 'fesc' }, { features: projected, formula: 'y ~ x + z + g + v' }),
  'private, rows, central': secret({}),
  'private, replace one, ridge, adassp': secret(
    { neighbours: 'replace-one', solver: 'adassp', placement: 'central', expectedRows: 150 },
    { fusion: { kind: 'ridge', ridge: 2 } },
  ),
  'private, no intercept, several releases': secret({ releases: 3, solver: 'ridge' }, { formula: 'y ~ x + g - 1' }),
  'private, a person’s rows': secret(person, withPersons),
  'private, labels': secret({ protects: 'labels' }),
  'private, labels, of persons, local': secret({ protects: 'labels', placement: 'local', ...person }, withPersons),
  'private, rows, local': secret({ placement: 'local' }),
  'private, rounds planned': twoRounds,
  'private, second round': next(twoRounds),
  'private, third round': next(next(twoRounds)),
  'private, second round, local': next(localRounds),
  'private on a projection': secret(
    {},
    { formula: 'y ~ x + z + g + p', features: projected },
  ),
};

/** What the disclosure rules, or the rows, leave no report of. */
const refused: Readonly<Record<string, TableStudy>> = {
  'few rows, refused by rule': ridge({ ridge: 0 }, { formula: 'y ~ x + g' }),
  'few rows, rules off, too few to solve': ridge(
    { ridge: 0, siteEffects: 'random' },
    { disclosure: { profile: 'none' }, formula: 'y ~ x + z + p + v + c + e + g' },
  ),
  'few rows, rules off, poisson': poisson({}, { formula: 'c ~ x', disclosure: { profile: 'none' } }),
};

/** Studies that no site is asked to join: an agreement refuses them before a row is read. */
const impossible: Readonly<Record<string, TableStudy>> = {
  'average of weighted rows': estimates({ kind: 'average' }, { weights: 'w' }),
  'fesc, compact': estimates({ kind: 'fesc' }, { arithmetic: 'compact' }),
  'fesc with a category response': estimates({ kind: 'fesc' }, { formula: 'g ~ x + v' }),
  'binomial with a response of three levels': binomial({}, { formula: 'g ~ x' }),
  'poisson with two responses': poisson({}, { formula: 'cbind(c, e) ~ x' }),
  'binomial from coefficients of another formula': binomial({ at: { x: 1 } }),
  'private fisher': secret({}, { fusion: { kind: 'fisher', family: 'poisson' } }),
  'private fesc': secret({}, { fusion: { kind: 'fesc' } }),
  'private gcv': secret({}, { fusion: { kind: 'ridge', ridge: 'gcv' } }),
  'private lasso': secret({}, { fusion: { kind: 'ridge', ridge: 0, lasso: { lambda: 1 } } }),
  'private site effects': secret({}, { fusion: { kind: 'ridge', ridge: 0, siteEffects: 'fixed' } }),
  'private weights': secret({}, { weights: 'w' }),
  'private with two responses': secret({}, { formula: 'cbind(y, v) ~ x' }),
  'private labels of a term of the response': secret({ protects: 'labels' }, { formula: 'y ~ I(y^2)' }),
  'projection onto more than there is': ridge({ ridge: 0 }, { features: projected, formula: 'y ~ x' }),
};

function refusal(name: string, study: Study) {
  try {
    agreement(parseStudy(JSON.parse(JSON.stringify(study))));
  } catch (error) {
    return { name, study, message: (error as Error).message };
  }
  throw new Error(`not refused: ${name}`);
}

function made(study: Study, table: Table) {
  const agreed = agreement(study);
  return Object.entries(table).map(([site, cells]) => {
    const summary = kernels.scoped(() => {
      const one = reduction(agreed, { file: `${site}.csv`, missing: 'drop', kernels, fewRows: true });
      const read = agreed.columns.map(({ name }) => Float64Array.from(cells[name], (v) => v ?? Number.NaN));
      one.add({ rows: cells.x.length, columns: read }, (r) => r + 1);
      return one.finish();
    });
    return { site, summary, sent: contribution(agreed, site, summary) };
  });
}

/** What a coordinator answers: the noise of a private total is drawn from a key of 32 sevens. */
function concluded(agreed: Agreement, sites: ReturnType<typeof made>): { report?: Report; problem?: string } {
  const exact = sourcesOf(agreed, sites.map(({ sent }) => sent));
  const words = keyedWords(new Uint8Array(32).fill(7), 'total');
  const lines = sites.map(({ site, sent }) =>
    agreed.study.privacy ? { name: site } : { name: site, n: rowCount(sent.statistic), dropped: sent.dropped },
  );
  const found =
    unpublishable(agreed, exact.total) ?? findings(agreed, published(agreed, exact, words), lines);
  return 'problem' in found ? { problem: found.problem } : { report: found.report };
}

/** Ten digits: what an engine's own exp and log may move is further right. */
const rounded = (report: Report): unknown =>
  JSON.parse(finiteJson(report), (_, value) =>
    typeof value === 'number' ? Number(value.toPrecision(10)) : value,
  );

function vector(name: string, table: string, study: Study) {
  const json = JSON.parse(JSON.stringify(study));
  const agreed = agreement(parseStudy(json));
  const sites = made(agreed.study, tables[table]);
  const { privacy } = study;
  const { report, problem } = concluded(agreed, sites);
  const sums = sites.map(({ summary, sent }) => (privacy ? summary.statistic : sent.statistic));
  const bySite = (digest: (site: (typeof sites)[number]) => string) =>
    Object.fromEntries(sites.map((site) => [site.site, digest(site)]));
  return {
    name,
    table,
    study: json,
    digest: agreed.digest,
    layout: canonicalJson(agreed.layout),
    ...(agreed.rowsLayout === agreed.layout ? {} : { rowsLayout: canonicalJson(agreed.rowsLayout) }),
    ...(privacy
      ? { statistics: bySite(({ summary }) => digestBytes(statisticBytes(summary.statistic))) }
      : { contributions: bySite(({ sent }) => digestBytes(encodeContribution(sent))) }),
    total: totalDigest(agreed, sumStatistics(agreed.layout, sums)),
    ...(privacy?.placement === 'local'
      ? { files: bySite(({ sent }) => Buffer.from(encodeContribution(sent)).toString('base64')) }
      : {}),
    ...(report === undefined ? { problem } : { report: rounded(report) }),
  };
}

const vectors = [
  ...Object.entries(cases).map(([name, study]) => vector(name, 'usual', study)),
  ...Object.entries(refused).map(([name, study]) => vector(name, 'few', study)),
];
const refusals = Object.entries(impossible).map(([name, study]) => refusal(name, study));
const lines = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(',\n');
writeFileSync(
  new URL('studies.json', import.meta.url),
  `{"commit":"54a254b",\n"tables":${JSON.stringify(tables)},\n"vectors":[\n${lines(vectors)}\n],\n"refusals":[\n${lines(refusals)}\n]}\n`,
);
