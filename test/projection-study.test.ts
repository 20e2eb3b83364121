import { describe, expect, it } from 'vitest';
import { featuresOf } from '../src/cli/feature-flags.ts';
import { resultOf } from '../src/conclude.ts';
import { refine } from '../src/fusion/next-round.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { createPredictor } from '../src/model/predict.ts';
import type { Report } from '../src/model/report.ts';
import { reportText } from '../src/model/report-text.ts';
import { normals } from '../src/random/normals.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { releasedLabels } from '../src/rows/inspection.ts';
import { packedIndex } from '../src/statistic/linear-layout.ts';
import { type Study, studyDigest, type TableStudy } from '../src/study/study.ts';
import { agreement, collect, contribution, published } from './linear.ts';
import { integers } from './private-tables.ts';
import { unitsStudy, unitsTable } from './projected.ts';
import { expectRelative } from './relative.ts';
import { everyRow, summaryOf, type Table } from './tables.ts';

const rows = everyRow(unitsTable);
const halves: readonly (readonly number[])[] = [rows.slice(0, 50), rows.slice(50)];

/** What two sites' rows give, and answers to an inquiry. */
function found(study: Study, inquiry = {}, table: Table = unitsTable) {
  const agreed = agreement(study);
  const sent = collect(
    agreed,
    halves.map((part, k) => contribution(agreed, `s${k}`, summaryOf(agreed, table, part))),
  );
  const lines = halves.map(({ length }, k) => ({ name: `s${k}`, n: length, dropped: 0 }));
  const words = study.privacy ? seededWords(8) : undefined;
  const answer = resultOf(agreed, published(agreed, sent, words), lines, {
    questions: [],
    ...inquiry,
  });
  if ('problem' in answer) throw new Error(answer.problem);
  return answer;
}

/** Predictions by the projections, and by the coefficients of the columns themselves. */
function bothWays(study: Study, report: Report, table: Table = unitsTable) {
  const predictor = createPredictor(study, report);
  const sites = Float64Array.from(rows, (r) => (r < 50 ? 0 : 1));
  const columns = predictor.variables.map((name) => table.cells[name] ?? sites);
  const block = { rows: table.rows, columns };
  const predicted = predictor.predict(block, { file: 'table', rowOf: (r) => r });
  const values = predicted[predictor.names.indexOf('.link')] ?? predicted[0];
  const { kg, year, dose, g } = table.cells;
  const own = (r: number): Readonly<Record<string, number>> => ({
    '(Intercept)': 1,
    kg: kg[r],
    year: year[r],
    dose: dose[r],
    gb: g[r] === 1 ? 1 : 0,
    gc: g[r] === 2 ? 1 : 0,
    '.sites1': r < 50 ? 0 : 1,
  });
  const unfolded = rows.map((r) =>
    report.original!.reduce((sum, { term, estimate }) => sum + estimate * own(r)[term], 0),
  );
  return { values, unfolded };
}

function expectSameBothWays(study: Study, report: Report, table?: Table): void {
  const { values, unfolded } = bothWays(study, report, table);
  const size = Math.max(...values.map(Math.abs));
  unfolded.forEach((value, r) => {
    expect(Math.abs(value - values[r]), `row ${r}`).toBeLessThan(1e-11 * size);
  });
}

const projection = (dimension: unknown, seed: unknown = 7) => ({
  ...unitsStudy,
  features: [{ kind: 'projection', dimension, seed }],
});

const manyLevels = Array.from({ length: 10_001 }, (_, k) => `level ${k}`);

describe('a study with a projection', () => {
  it('is another study by its digest for every dimension and seed', () => {
    const studies = [
      { ...unitsStudy, features: [] },
      ...[2, 3].flatMap((m) => [1, 2].map((s) => projection(m, s))),
    ];
    expect(new Set(studies.map((study) => studyDigest(parseStudy(study)))).size).toBe(5);
  });

  it.each([
    ['a dimension of 0', projection(0)],
    ['a dimension above 5000', projection(5001)],
    ['half a dimension', projection(2.5)],
    ['a seed below 0', projection(2, -1)],
    ['a seed of 33 bits', projection(2, 2 ** 32)],
    ['no seed', { ...unitsStudy, features: [{ kind: 'projection', dimension: 2 }] }],
    ['another map', { ...unitsStudy, features: [{ kind: 'fourier', dimension: 2, seed: 1 }] }],
    [
      'two maps',
      { ...unitsStudy, features: [...projection(2).features, ...projection(3).features] },
    ],
  ])('is refused with %s', (_, study) => {
    expect(() => parseStudy(study)).toThrow();
  });

  it.each<[string, Partial<TableStudy>, RegExp]>([
    [
      'as many dimensions as columns',
      projection(5) as Partial<TableStudy>,
      /5 columns to 5 saves nothing/,
    ],
    ['nothing to project', { formula: 'z ~ 1' }, /nothing to project/],
    [
      'a matrix that nobody would hold',
      {
        ...projection(5000),
        codebook: { ...unitsStudy.codebook, g: { type: 'category', levels: manyLevels } },
      } as Partial<TableStudy>,
      /more than 50 million numbers/,
    ],
    [
      'a column that is called like a projection',
      {
        formula: 'z ~ kg + projection2 + year + dose',
        codebook: { ...unitsStudy.codebook, projection2: { type: 'number', range: [0, 1] } },
      },
      /projection2 is also the name of a projected column/,
    ],
    [
      'slopes that differ from site to site',
      {
        formula: 'z ~ kg*.site + year + dose + g',
        codebook: { ...unitsStudy.codebook, '.site': { type: 'category', levels: ['s0', 's1'] } },
      },
      /would mix kg:\.site/,
    ],
  ])('is refused with %s', (_, part, problem) => {
    expect(() => agreement({ ...unitsStudy, ...part })).toThrow(problem);
  });

  it('shows the columns of the formula to people, not the projections', () => {
    const text = reportText(found(unitsStudy).report);
    expect(text).toMatch(/^year +-\d/m);
    expect(text).toContain('learnt from 3 random projections (seed 4294967295) of 5 columns');
    expect(text).not.toMatch(/projection\d/);
  });

  it('leaves .site as it is, in the formula and as fixed effects, and both agree', () => {
    const plain: TableStudy = { ...unitsStudy, fusion: { kind: 'ridge', ridge: 0 } };
    const written: TableStudy = {
      ...plain,
      formula: `${plain.formula} + .site`,
      codebook: { ...plain.codebook, '.site': { type: 'category', levels: ['s0', 's1'] } },
    };
    const site = Float64Array.from(rows, (r) => (r < 50 ? 0 : 1));
    const table = { ...unitsTable, cells: { ...unitsTable.cells, '.site': site } };
    const effects: TableStudy = {
      ...plain,
      fusion: { ...plain.fusion, siteEffects: 'fixed' } as never,
    };
    const asked = found(written, {}, table).report;
    const added = found(effects).report;
    expect(asked.terms!.map(({ term }) => term)).toEqual([
      ...['(Intercept)', 'projection1', 'projection2', 'projection3', '.sites1'],
    ]);
    const other = new Map(added.original!.map(({ term, estimate }) => [term, estimate]));
    for (const { term, estimate } of asked.original!) {
      expectRelative(other.get(term), estimate, 1e-9, term);
    }
    expectSameBothWays(written, asked, table);
    expectSameBothWays(effects, added);
  });

  it('answers questions about a row by its own columns', () => {
    const at = { kg: 80, year: 1990, dose: 0.001, g: 'b' };
    const { report, answers } = found(unitsStudy, {
      questions: [{ about: 'prediction', at, level: 0.95 }],
    });
    const cells: Readonly<Record<string, number>> = {
      '(Intercept)': 1,
      ...{ ...at, g: 0 },
      gb: 1,
      gc: 0,
    };
    const expected = report.original!.reduce(
      (sum, { term, estimate }) => sum + estimate * cells[term],
      0,
    );
    expectRelative((answers[0] as { fitted?: number }).fitted, expected, 1e-11, 'the row');
  });

  it('can leave the projection out, and nothing of it is told then', () => {
    const { report } = found(unitsStudy, { without: ['projection'] });
    expect(report.terms!.map(({ term }) => term)).toEqual(['(Intercept)']);
    expect([report.original, report.projection]).toEqual([undefined, undefined]);
    expect(() => found(unitsStudy, { without: ['kg'] })).toThrow('the model has no term kg');
  });

  it('has several responses, each with its own coefficients', () => {
    const study: TableStudy = { ...unitsStudy, formula: 'cbind(z, year) ~ kg + dose + g' };
    const { responses = [] } = found(study).report;
    expect(responses.map(({ original }) => original!.map(({ term }) => term))).toEqual(
      ['z', 'year'].map(() => ['(Intercept)', 'kg', 'dose', 'gb', 'gc']),
    );
  });

  it('is what a study of the projected values as columns gives', () => {
    const agreed = agreement({ ...unitsStudy, fusion: { kind: 'ridge', ridge: 0 } });
    const { design } = agreed;
    const hi = design.columns.map(() => new Float64Array(rows.length));
    const columns = design.variables.map((name) => unitsTable.cells[name]);
    const none = design.columns.map(() => undefined);
    design.evaluate({ rows: rows.length, columns }, { file: '', rowOf: (r) => r }, hi, none);
    const range = [-16, 16] as const;
    const table: Table = {
      ...unitsTable,
      cells: { z: unitsTable.cells.z, p1: hi[1], p2: hi[2], p3: hi[3] },
    };
    const { features: _, ...rest } = unitsStudy;
    const number = { type: 'number', range } as const;
    for (const fusion of [
      { kind: 'ridge', ridge: 0 },
      { kind: 'glm', family: 'binomial' },
    ] as const) {
      const formula = fusion.kind === 'glm' ? 'I(z > -32)' : 'z';
      const given: TableStudy = {
        ...rest,
        fusion,
        formula: `${formula} ~ p1 + p2 + p3`,
        codebook: { z: rest.codebook.z, p1: number, p2: number, p3: number },
      };
      const study: TableStudy = {
        ...unitsStudy,
        fusion,
        formula: `${formula} ~ kg + year + dose + g`,
      };
      const [ours, theirs] = [found(study).report, found(given, {}, table).report];
      ours.terms!.forEach(({ estimate, term }, k) => {
        expectRelative(estimate, theirs.terms![k].estimate, 1e-6, `${fusion.kind} ${term}`);
      });
      expectSameBothWays(study, ours);
    }
  });

  it('has further rounds of a logistic regression over the projections', () => {
    const study: TableStudy = {
      ...unitsStudy,
      fusion: { kind: 'glm', family: 'binomial' },
      formula: 'I(z > -32) ~ kg + year + dose + g',
    };
    const first = found(study).report;
    const estimates = first.terms!.map(({ term, estimate }) => [term, estimate]);
    const next = refine(study, Object.fromEntries(estimates));
    const second = found(next).report;
    expect(second.deviation?.steps).toBe(1);
    expectSameBothWays(next, second);
  });

  it('does not take a frame that is far wider than its projection for rows that are separated', () => {
    const next = normals(seededWords(2));
    const names = Array.from({ length: 60 }, (_, i) => `x${i}`);
    const cells = Object.fromEntries(names.map((name) => [name, Float64Array.from(rows, next)]));
    const number = { type: 'number', range: [-40, 40], center: 0, sd: 1 } as const;
    const columns = names.map((name) => [name, number] as const);
    const study: TableStudy = {
      ...unitsStudy,
      formula: 'y ~ .',
      codebook: {
        ...Object.fromEntries(columns),
        y: { type: 'number', range: [0, 1] },
      },
      fusion: { kind: 'glm', family: 'binomial' },
      features: [{ kind: 'projection', dimension: 6, seed: 1 }],
    };
    const y = Float64Array.from(rows, (r) => (r * 7) % 2);
    const { report } = found(study, {}, { ...unitsTable, cells: { ...cells, y } });
    expect(report.original).toHaveLength(61);
  });

  it('can be one of estimates of the sites’ own', () => {
    const study: TableStudy = { ...unitsStudy, fusion: { kind: 'average' } };
    expectSameBothWays(study, found(study).report);
  });
});

describe('a study without a projection', () => {
  it('has a column of that name like any other', () => {
    const { features: _, ...plain } = unitsStudy;
    const study: TableStudy = {
      ...plain,
      formula: 'z ~ year + projection1',
      codebook: { ...plain.codebook, projection1: plain.codebook.kg },
      fusion: { kind: 'ridge', ridge: 0 },
    };
    const table = {
      ...unitsTable,
      cells: { ...unitsTable.cells, projection1: unitsTable.cells.kg },
    };
    const { answers, report } = found(
      study,
      { questions: [{ about: 'contrast', of: ['yaer = 0'] }] },
      table,
    );
    expect(answers).toMatchObject([{ advice: 'did you mean year?' }]);
    expect(report.original).toBeUndefined();
  });
});

describe('a private study with a projection', () => {
  const terms = { epsilon: 1000, delta: 1e-5, unit: 'row' } as const;
  const study: TableStudy = {
    ...unitsStudy,
    fusion: { kind: 'ridge', ridge: 0 },
    privacy: terms,
  };

  it('has rows of length at most 1: one row moves the sums no further', () => {
    const agreed = agreement(study);
    const width = agreed.layout.columns.length;
    let longest = 0;
    for (const r of rows) {
      const entries = integers(summaryOf(agreed, unitsTable, [r]).statistic);
      const squares = Array.from(
        { length: width - 1 },
        (_, k) => entries[packedIndex(width, k, k)],
      );
      const length = Number(squares.reduce((sum, square) => sum + square, 0n)) / 2 ** 32;
      longest = Math.max(longest, length);
    }
    expect(longest).toBeLessThanOrEqual(1);
    expect(longest).toBeGreaterThan(0.999);
  });

  it('counts projections in units of their spread, which is the public’s', () => {
    const { design } = agreement(study);
    const { columns } = design.mapped!;
    const weights = design.mapped!.weights!();
    const dimension = weights.length / columns.length;
    expect(dimension).toBe(3);
    design.columns.slice(1, 1 + dimension).forEach(({ publicUnit: { center, scale } }, j) => {
      const squares = columns.reduce((sum, _, i) => sum + weights[i * dimension + j] ** 2, 0);
      expect(center).toBe(0);
      expectRelative(scale, Math.sqrt(squares), 1e-15, `projection${j + 1}`);
    });
  });

  it('tells its coefficients on the columns, and predicts with them', () => {
    const { report } = found(study);
    expect(report.original!.map(({ term }) => term)).toEqual([
      ...['(Intercept)', 'kg', 'year', 'dose', 'gb', 'gc'],
    ]);
    const capped = report.privacy!.range;
    const { values, unfolded } = bothWays(study, report);
    unfolded.forEach((value, r) => {
      const shown = Math.min(capped[1], Math.max(capped[0], value));
      expect(Math.abs(shown - values[r])).toBeLessThan(1e-9);
    });
  });
});

describe('--projection', () => {
  it.each(['0', '5001', '3,4294967296', 'x', '3,', '2.5', '-1'])('refuses %s', (projection) => {
    expect(() => featuresOf({ projection })).toThrow(/--projection must be a dimension/);
  });

  it('takes a dimension, and a seed or 1', () => {
    expect(featuresOf({ projection: '5000,4294967295' })).toEqual({
      features: [{ kind: 'projection', dimension: 5000, seed: 2 ** 32 - 1 }],
    });
    expect(featuresOf({ projection: '3' }).features?.[0]).toMatchObject({ seed: 1 });
  });
});

describe('what a release is known by', () => {
  const labels = (seed: number, dimension: number, formula = unitsStudy.formula) =>
    releasedLabels(
      agreement({ ...unitsStudy, ...projection(dimension, seed), formula } as Study).method,
    );

  it('tells one seed and one formula from another, and knows nested projections again', () => {
    const union = (...lists: readonly (readonly string[])[]) => new Set(lists.flat()).size;
    expect(union(labels(1, 3), labels(1, 2))).toBe(4); // three projections and z
    expect(union(labels(1, 3), labels(2, 3))).toBe(7);
    expect(union(labels(1, 3), labels(1, 3, 'z ~ kg + year + I(dose^2) + g'))).toBe(7);
  });
});
