import type { ExportedModel } from '../src/export/exported-model.ts';
import { createPredictor } from '../src/model/predict.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { Feature, Fusion } from '../src/study/study.ts';
import { tableStudy } from '../src/study/table-study.ts';
import { chance } from './chance.ts';
import { everyRow, federated, studyOf, type Table, tableOf } from './tables.ts';

/** A table of 80 rows with what formulas can speak of: numbers of several sizes, odd names, categories. */
export const sampleTable: Table = sample();

/** Columns and terms of every kind, by what they are there for. */
export const formulas: readonly (readonly [string, string])[] = [
  ['numbers', 'y ~ a + p + year'],
  ['an intercept alone', 'y ~ 1'],
  ['a category', 'y ~ a + g'],
  ['interactions', 'y ~ a*g + a:p + g:h'],
  ['no intercept', 'y ~ a + h - 1'],
  ['no intercept and no category', 'y ~ a + p - 1'],
  ['several responses', 'cbind(y, z) ~ a*g + log(p)'],
  ['powers and logs', 'y ~ I(a^2) + log(p) + sqrt(p) + I(p^-1.5) + exp(a) + abs(a) + I(a^3)'],
  ['arithmetic', 'y ~ I(-a^2/p + 2*(a - 0.1)) + log2(p) + log10(p) + I(p^(1/3))'],
  ['factor() of a number', 'y ~ factor(k)*a'],
  ['comparisons', 'y ~ I(a > 0.5)*p + I((g == "mid é") * p) + I(k != 1) + I(h != "u\\"2") + a'],
  ['odd names', 'y ~ `a b"\\c` + `étage`:g'],
  ['large values', 'y ~ year + gnp + I(year^2)'],
  ['an aliased term', 'y ~ a + g + I(2*a)'],
  [
    'splines and polynomials',
    'y ~ poly(p, 3, raw = TRUE) + ns(a, knots = c(0, 1), Boundary.knots = c(-1.5, 2.5)) + bs(z, knots = 0, degree = 2, Boundary.knots = c(-1, 1)):p',
  ],
  [
    'categories that functions give',
    'y ~ cut(a, c(-10, 0, 1, 10)):p + relevel(g, ref = "hi") + interaction(h, factor(k)) + C(g, contr.sum):a + I(k %in% c(0, 2)):p',
  ],
  [
    'steps and limits',
    'y ~ pmin(a, 1) + pmax(p, 3, a) + round(a, 1) + round(p) + floor(p) + trunc(a) + ifelse(a > 0, p, 1) + log1p(p) + expm1(a)',
  ],
  ['offsets', 'y ~ a + g + offset(log(p)) + offset(gnp / 100)'],
];

/** Classifiers of a category and of a comparison. */
export const classifiers: readonly (readonly [string, string, Fusion])[] = [
  ['ridge', 'g ~ a + p + h', { kind: 'ridge', ridge: 2 }],
  ['discriminant', 'h ~ a*p + g', { kind: 'discriminant', shrinkage: 0.2 }],
  ['naive Bayes of a comparison', 'I(z > 0) ~ a + p + g', { kind: 'naive-bayes' }],
];

function sample(): Table {
  const rows = 80;
  const { below } = chance(4);
  const unit = () => below(1_000_001) / 1_000_000;
  const column = (make: () => number) => Array.from({ length: rows }, make);
  const table = tableOf(
    {
      y: column(() => 60_000 + 10_000 * unit()),
      z: column(() => unit() - 0.5),
      a: column(() => 5 * unit() - 2),
      p: column(() => 0.5 + 9 * unit()),
      year: column(() => 1947 + below(16)),
      gnp: column(() => 234_289 + below(320_605)),
      'a b"\\c': column(() => unit()),
      étage: column(() => below(7)),
      k: column(() => below(3)),
      g: column(() => below(3)),
      h: column(() => below(4)),
    },
    { g: ['lo', 'mid é', 'hi'], h: ['u1', 'u"2', 'u\\3', '<b>&amp;'] },
  );
  const codebook = {
    ...table.codebook,
    k: { ...table.codebook.k, levels: ['0', '1', '2'] },
    g: { ...table.codebook.g, baseline: 'mid é' },
  } as Codebook;
  return { ...table, codebook };
}

/** The model of a formula over the table's rows, dealt to three sites. */
export function modelOf(
  formula: string,
  choices: Parameters<typeof studyOf>[2] = {},
  table: Table = sampleTable,
): ExportedModel {
  const study = studyOf(table, formula, choices);
  const rows = everyRow(table);
  const sites = [0, 1, 2].map((site) => rows.filter((r) => r % 3 === site));
  const { report } = federated(study, table, sites);
  if (typeof report === 'string') throw new Error(`${formula}: ${report}`);
  const lines = sites.map(({ length }, k) => ({ name: `site-${k}`, n: length, dropped: 0 }));
  return { study, report: { ...report, sites: lines } };
}

/** A model learnt from projections of columns of every kind. */
export function projectedModel(): ExportedModel {
  const features = [{ kind: 'projection', dimension: 4, seed: 2 }] as const;
  return modelOf('y ~ a*g + log(p) + year + factor(k)', { features });
}

const nonlinear: readonly Feature[] = [
  { kind: 'fourier', dimension: 6, kernel: 'matern-3/2', bandwidth: [2, 4], seed: 2 },
  { kind: 'nystrom', landmarks: 5, kernel: 'matern-5/2' },
  { kind: 'nystrom', landmarks: 4, kernel: 'laplace', bandwidth: 3 },
  { kind: 'nystrom', landmarks: 4, kernel: 'rbf' },
  { kind: 'tangent', dimension: 6, seed: 2 },
  { kind: 'arccosine', dimension: 5, degree: 2, seed: 2 },
  { kind: 'arccosine', dimension: 1, degree: 0, seed: 2 },
  {
    kind: 'residual',
    of: { kind: 'fourier', dimension: 4, kernel: 'rbf', seed: 2 },
    dimension: 3,
    seed: 1,
  },
  { kind: 'residual', of: { kind: 'projection', dimension: 3, seed: 2 }, dimension: 3, seed: 1 },
];

/** Models learnt from maps that are not linear, each of columns of every kind. */
export const mappedModels: readonly (readonly [string, ExportedModel])[] = nonlinear.map(
  (feature, k) => {
    const formula = `${k === 0 ? 'cbind(y, z)' : 'y'} ~ a*g + log(p) + year + factor(k)`;
    const ridge = k === 0 ? 'gcv' : 0.01;
    const model = modelOf(formula, { features: [feature], fusion: { kind: 'ridge', ridge } });
    return [`${feature.kind} ${k}`, model];
  },
);

/** The table with the site of each row, and a model whose map leaves the columns of the sites as they are. */
export const siteTable: Table = {
  ...sampleTable,
  codebook: {
    ...sampleTable.codebook,
    '.site': { type: 'category', levels: ['north', 'south', 'west'] },
  },
  cells: {
    ...sampleTable.cells,
    '.site': Float64Array.from(everyRow(sampleTable), (r) => r % 3),
  },
};
export const mappedWithSites: ExportedModel = modelOf(
  'y ~ a + g + .site',
  { features: [{ kind: 'tangent', dimension: 4, seed: 2 }], fusion: { kind: 'ridge', ridge: 0.1 } },
  siteTable,
);

/** What the model says of the table's rows, an array a response; the truth for every export. */
export function predictions(
  { study, report }: ExportedModel,
  table: Table,
): readonly Float64Array[] {
  const predictor = createPredictor(study, report);
  const columns = predictor.variables.map((name) => table.cells[name]);
  return predictor.predict({ rows: table.rows, columns }, { file: 'table', rowOf: (r) => r });
}

/** Fitted values, the index of the class, and the probabilities of the levels. */
export function classPredictions(
  { study, report }: ExportedModel,
  table: Table,
): Record<'fitted' | 'chosen' | 'shares', readonly Float64Array[]> {
  const { names } = createPredictor(tableStudy(study), report);
  const found = predictions({ study, report }, table);
  const named = (start: string) => found.filter((_, k) => names[k].startsWith(start));
  return {
    fitted: named('.fitted'),
    chosen: named('.class'),
    shares: named('.probability.'),
  };
}

/** The cells of a column as another program holds them: numbers, or the texts of the levels. */
export function plainCells({ codebook, cells }: Table, name: string): (number | string)[] {
  const column = codebook[name];
  return Array.from(cells[name], (cell) =>
    column.type === 'category' ? column.levels[cell] : cell,
  );
}

/** The same table with one cell of each of the columns emptied, in rows 0, 1, …. */
export function withHoles(table: Table, names: readonly string[]): Table {
  const cells = { ...table.cells };
  names.forEach((name, r) => {
    cells[name] = table.cells[name].with(r, Number.NaN);
  });
  return { ...table, cells };
}
