import { describe, expect, it } from 'vitest';
import { projectionMatrix } from '../src/features/projection.ts';
import { createPredictor } from '../src/model/predict.ts';
import type { Report } from '../src/model/report.ts';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import { type RowProjector, rowProjector, rowProjectorTwin } from '../src/numeric/project-rows.ts';
import { normals } from '../src/random/normals.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { agreement } from './linear.ts';
import { plainStudy, plainTable, unitsStudy, unitsTable, vector } from './projected.ts';
import { expectRelative } from './relative.ts';
import { everyRow, federated, type Table } from './tables.ts';

function reportOf(study: Study, table: Table, sites = 3): Report {
  const rows = everyRow(table);
  const dealt = Array.from({ length: sites }, (_, k) => rows.filter((r) => r % sites === k));
  const { report } = federated(study, table, dealt);
  if (typeof report === 'string') throw new Error(report);
  return report;
}

describe('the matrix of a projection', () => {
  it.each(['plain', 'units'] as const)('is what Python draws from its description: %s', (name) => {
    const { matrix, dimension, seed } = vector[name];
    const ours = projectionMatrix(matrix.length, { dimension, seed });
    matrix.flat().forEach((entry, k) => {
      expectRelative(ours[k], entry, 1e-15, `entry ${k}`);
    });
  });

  it('has the columns of a smaller dimension as its first, up to the factor, and fewer rows as its upper', () => {
    const large = projectionMatrix(40, { dimension: 16, seed: 7 });
    const small = projectionMatrix(25, { dimension: 4, seed: 7 });
    for (let i = 0; i < 25; i++) {
      for (let j = 0; j < 4; j++) expect(small[i * 4 + j]).toBe(2 * large[i * 16 + j]);
    }
  });

  it('has entries N(0, 1/m), and other ones from another seed', () => {
    const [columns, dimension] = [400, 100];
    const entries = projectionMatrix(columns, { dimension, seed: 3 });
    const n = entries.length;
    const moment = (k: number) => entries.reduce((sum, x) => sum + (x * 10) ** k, 0) / n;
    // Five standard errors of each moment of 40,000 standard normals.
    expect(Math.abs(moment(1))).toBeLessThan(5 / Math.sqrt(n));
    expect(Math.abs(moment(2) - 1)).toBeLessThan(5 * Math.sqrt(2 / n));
    expect(Math.abs(moment(3))).toBeLessThan(5 * Math.sqrt(15 / n));
    expect(Math.abs(moment(4) - 3)).toBeLessThan(5 * Math.sqrt(96 / n));
    const other = projectionMatrix(columns, { dimension, seed: 4 });
    const product = entries.reduce((sum, x, k) => sum + x * 10 * (other[k] * 10), 0) / n;
    expect(Math.abs(product)).toBeLessThan(5 / Math.sqrt(n));
  });

  it('has columns that have nothing to do with each other', () => {
    const [columns, dimension] = [1000, 60];
    const entries = projectionMatrix(columns, { dimension, seed: 1 });
    let worst = 0;
    for (let a = 0; a < dimension; a++) {
      for (let b = 0; b < a; b++) {
        let sum = 0;
        for (let i = 0; i < columns; i++) {
          sum += entries[i * dimension + a] * entries[i * dimension + b] * dimension;
        }
        worst = Math.max(worst, Math.abs(sum) / Math.sqrt(columns));
      }
    }
    expect(worst).toBeLessThan(5); // of 1770 nearly normal numbers
  });
});

describe('rows times the matrix', () => {
  const projected = (
    project: RowProjector,
    inner: number,
    outer: number,
    cuts: readonly number[],
  ) => {
    const next = normals(seededWords(11));
    const rows = cuts[cuts.length - 1];
    const columns = Array.from({ length: inner }, (_, i) => ({
      values: Float64Array.from({ length: rows }, next),
      center: i / 7,
      scale: 1 + i / 3,
    }));
    const target = Array.from({ length: outer }, () => new Float64Array(rows));
    cuts.slice(1).forEach((to, k) => {
      const from = cuts[k];
      const part = columns.map((column) => ({
        ...column,
        values: column.values.subarray(from, to),
      }));
      const into = target.map((values) => values.subarray(from, to));
      project(part, to - from, into);
    });
    return target;
  };

  it.each([
    [1, 1, 3],
    [7, 3, 29],
    [130, 61, 301],
    [1030, 5, 70],
  ])(
    'kernel = twin, bit for bit: %i columns to %i, %i rows, however they are cut',
    (inner, outer, rows) => {
      enableRelaxedSimd(); // the fused build must not be taken where the engine has it
      const matrix = projectionMatrix(inner, { dimension: outer, seed: 9 });
      const twin = projected(rowProjectorTwin(matrix, inner, outer), inner, outer, [0, rows]);
      const kernel = rowProjector(matrix, inner, outer);
      for (const cuts of [
        [0, rows],
        [0, 1, 2, rows],
        [0, Math.floor(rows / 2), rows],
      ]) {
        expect(projected(kernel, inner, outer, cuts)).toEqual(twin);
      }
    },
  );

  it.each([
    ['upper', (i: number, j: number) => i <= j],
    ['lower', (i: number, j: number) => i >= j],
    ['no', () => false],
  ] as const)('kernel = twin where only the %s triangle has entries', (_, isThere) => {
    const [inner, outer] = [150, 141];
    const matrix = projectionMatrix(inner, { dimension: outer, seed: 9 }).map((value, at) =>
      isThere(Math.floor(at / outer), at % outer) ? value : 0,
    );
    const results = [rowProjector, rowProjectorTwin].map((projector) =>
      projected(projector(matrix, inner, outer), inner, outer, [0, 29]),
    );
    expect(results[0]).toEqual(results[1]);
  });
});

describe('a ridge regression of projections', () => {
  it('is the paper’s (RᵀAᵀAR + λI)⁻¹RᵀAᵀy where centre 0 and SD 1 are stated', () => {
    const { terms = [], original = [] } = reportOf(plainStudy, plainTable);
    const { coefficients, original: expected } = vector.plain;
    expect(terms.map(({ term }) => term)).toEqual(coefficients.map((_, j) => `projection${j + 1}`));
    terms.forEach(({ estimate }, j) => {
      expectRelative(estimate, coefficients[j], 1e-11, `projection${j + 1}`);
    });
    expect(original.map(({ term }) => term)).toEqual(expected.map((_, i) => `x${i + 1}`));
    original.forEach(({ estimate, term }, i) => {
      expectRelative(estimate, expected[i], 1e-11, term);
    });
  });

  it('weighs columns in their public units, and tells what it is on the columns themselves', () => {
    const { terms = [], original = [], projection } = reportOf(unitsStudy, unitsTable);
    const { coefficients, original: expected, seed } = vector.units;
    expect(projection).toEqual({ dimension: 3, seed, columns: 5 });
    terms.forEach(({ estimate, term }, j) => {
      expectRelative(estimate, coefficients[j], 1e-11, term);
    });
    expect(original.map(({ term }) => term)).toEqual([
      '(Intercept)',
      'kg',
      'year',
      'dose',
      'gb',
      'gc',
    ]);
    original.forEach(({ estimate, term }, i) => {
      expectRelative(estimate, expected[i], 1e-10, term);
    });
  });

  it('has the standard errors of its columns without a ridge', () => {
    const study: TableStudy = { ...unitsStudy, fusion: { kind: 'ridge', ridge: 0 } };
    const { original = [] } = reportOf(study, unitsTable);
    const { original: expected, errors } = vector.units.unpenalised;
    original.forEach((row, i) => {
      expectRelative(row.estimate, expected[i], 1e-9, row.term);
      expectRelative(row['std.error']!, errors[i], 1e-9, `error of ${row.term}`);
    });
  });

  it('predicts what numpy does, and what its original coefficients say', () => {
    const report = reportOf(unitsStudy, unitsTable);
    const predictor = createPredictor(unitsStudy, report);
    const columns = predictor.variables.map((name) => unitsTable.cells[name]);
    const [fitted] = predictor.predict(
      { rows: unitsTable.rows, columns },
      { file: 'table', rowOf: (r) => r },
    );
    const at = new Map(report.original!.map(({ term, estimate }) => [term, estimate]));
    const { kg, year, dose, g } = unitsTable.cells;
    fitted.forEach((value, r) => {
      expectRelative(value, vector.units.fitted[r], 1e-11, `row ${r}`);
      const unfolded =
        at.get('(Intercept)')! +
        at.get('kg')! * kg[r] +
        at.get('year')! * year[r] +
        at.get('dose')! * dose[r] +
        [0, at.get('gb')!, at.get('gc')!][g[r]];
      expectRelative(unfolded, value, 1e-12, `row ${r}, unfolded`);
    });
  });

  it('over sites = over the pooled rows, to the last bit, however blocks are cut', () => {
    const rows = everyRow(unitsTable);
    const pooled = federated(unitsStudy, unitsTable, [rows]);
    const sites = [rows.slice(0, 1), rows.slice(1, 90), rows.slice(90)];
    const shared = federated(unitsStudy, unitsTable, sites);
    expect(shared.total.values).toEqual(pooled.total.values);
    expect(shared.report).toEqual(pooled.report);
  });

  it('keeps every projected value inside its public frame, at the corners of the ranges too', () => {
    const { design } = agreement(unitsStudy);
    const corners = Array.from({ length: 24 }, (_, k) => k);
    const pick = (low: number, high: number, bit: number) =>
      Float64Array.from(corners, (k) => ((k >> bit) & 1 ? high : low));
    const cells = {
      kg: pick(30, 110, 0),
      year: pick(1950, 2010, 1),
      dose: pick(0, 0.002, 2),
      g: Float64Array.from(corners, (k) => k >> 3),
      z: pick(-50, 0, 0),
    };
    const columns = design.variables.map((name) => cells[name as keyof typeof cells]);
    const hi = design.columns.map(() => new Float64Array(24));
    const none = design.columns.map(() => undefined);
    design.evaluate({ rows: 24, columns }, { file: 'corners', rowOf: (r) => r }, hi, none);
    let fullest = 0;
    design.columns.forEach(({ term, reference: { center, scale }, interval }, j) => {
      if (term !== 'projection') return;
      for (const value of hi[j]) {
        expect(value).toBeGreaterThanOrEqual(interval.low);
        expect(value).toBeLessThanOrEqual(interval.high);
        fullest = Math.max(fullest, Math.abs(value - center) / scale);
      }
    });
    expect(fullest).toBeLessThanOrEqual(1);
    expect(fullest).toBeGreaterThan(0.5);
  });
});
