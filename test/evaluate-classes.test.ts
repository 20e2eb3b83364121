import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluation } from '../src/analysis/evaluation.ts';
import { evaluationText } from '../src/analysis/evaluation-text.ts';
import { type ManyClassCounts, manyClassCounter } from '../src/analysis/many-class-counts.ts';
import { isSiteCounts } from '../src/analysis/site-counts.ts';
import { createPredictor } from '../src/model/predict.ts';
import type { TableStudy } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { cases } from './endurance.ts';
import { expectRelative } from './relative.ts';
import { federated, studyOf, tableOf } from './tables.ts';

const levels = ['a', 'b', 'c', 'd', 'e', 'f'];

interface Row {
  readonly actual: number;
  readonly parts: readonly number[];
}

const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
const sharesOf = ({ parts }: Row) => parts.map((part) => part / total(parts));
const predictedOf = (row: Row) => row.parts.indexOf(Math.max(...row.parts));

function countsOf(rows: readonly Row[], bins: number, smallest: number): ManyClassCounts | string {
  const counter = manyClassCounter(levels, bins);
  for (const row of rows) {
    const shares = sharesOf(row);
    counter.count(row.actual, predictedOf(row), (level) => shares[level]);
  }
  const found = counter.finish(smallest);
  if ('problem' in found) return found.problem;
  const head = {
    model: 'm',
    study: 's',
    label: 'y',
    levels,
    scores: 'probability',
    bins,
    smallest,
  };
  return { schema: 'suffice/evaluation@2', ...head, ...found } as ManyClassCounts;
}

function evaluated(...files: readonly (ManyClassCounts | string)[]) {
  const result = evaluation(files as ManyClassCounts[]);
  if ('problem' in result) throw new Error(result.problem);
  return result;
}

// Classes are predicted rightly more often than not, as by a model.
const anyRow = fc
  .tuple(fc.nat(5), fc.array(fc.nat(60), { minLength: 6, maxLength: 6 }), fc.nat(90))
  .map(
    ([actual, parts, more]): Row => ({
      actual,
      parts: parts.map((part, k) => 1 + part + (k === actual ? more : 0)),
    }),
  );
const anyRows = fc.array(anyRow, { minLength: 60, maxLength: 240 });

describe('an evaluation of many classes', () => {
  it('publishes no count from 1 to 4, loses no row, and bounds the accuracy', () => {
    fc.assert(
      fc.property(anyRows, fc.integer({ min: 2, max: 20 }), (rows, bins) => {
        const told = countsOf(rows, bins, 5);
        if (typeof told === 'string') return;
        expect(isSiteCounts(JSON.parse(JSON.stringify(told)))).toBe(true);
        expect(countsOf(rows.toReversed(), bins, 5)).toEqual(told);
        const rowsOf = (some: readonly { rows: number }[]) => some.map((one) => one.rows);
        const tables = [
          told.classes.flatMap((one) => [one.right, ...rowsOf(one.wrong)]),
          [...told.confidence.right, ...rowsOf(told.confidence.wrong)],
        ];
        expect(tables.flat().filter((count) => count > 0 && count < 5)).toEqual([]);
        expect(tables.map(total)).toEqual([rows.length, rows.length]);
        // The two tables agree on what is right: their difference says nothing of the hidden rows.
        expect(total(told.confidence.right)).toBe(total(told.classes.map((one) => one.right)));
        const sizes = levels.map((_, k) => rows.filter(({ actual }) => actual === k).length);
        const result = evaluated(told);
        expect(result.classes.map(({ n }) => n)).toEqual(sizes);
        const right = rows.filter((row) => predictedOf(row) === row.actual).length;
        const margin = result['accuracy.margin'] ?? 0;
        expect(Math.abs(result.accuracy - right / rows.length)).toBeLessThanOrEqual(margin + 1e-12);
      }),
      { numRuns: cases(60) },
    );
  });

  it('has the figures of the rows where nothing is hidden, from one site or several', () => {
    const rows = fc.sample(anyRows, { numRuns: 1, seed: 4 })[0];
    const result = evaluated(countsOf(rows, 20, 1));
    const halves = [0, 1].map((half) =>
      countsOf(
        rows.filter((_, r) => r % 2 === half),
        20,
        1,
      ),
    );
    expect({ ...evaluated(...halves), files: 1 }).toEqual(result);
    expect([result.merged, result['accuracy.margin']]).toEqual([false, undefined]);
    const taken = (i: number, j: number) =>
      rows.filter((row) => row.actual === i && predictedOf(row) === j).length;
    expect(result.confusion).toEqual(levels.map((_, i) => levels.map((__, j) => taken(i, j))));
    const middle = (p: number) => (Math.min(19, Math.floor(p * 20)) + 0.5) / 20;
    const losses = rows.map((row) => -Math.log(middle(sharesOf(row)[row.actual])));
    expectRelative(result.logLoss, total(losses) / rows.length, 1e-12, 'log loss');
    result.classes.forEach(({ f1, precision = 0, recall = 0 }) => {
      expectRelative(f1, (2 * precision * recall) / (precision + recall), 1e-12, 'F1');
    });
    const byBin = new Map<number, number[]>();
    for (const row of rows) {
      const sure = middle(Math.max(...sharesOf(row)));
      byBin.set(sure, [...(byBin.get(sure) ?? []), Number(predictedOf(row) === row.actual)]);
    }
    const away = [...byBin].map(([sure, hits]) => Math.abs(total(hits) - sure * hits.length));
    expectRelative(result.confidence?.error, total(away) / rows.length, 1e-12, 'ECE');
    expect(result.confidence?.reliability.map(({ n }) => n)).toEqual(
      [...byBin].sort(([a], [b]) => a - b).map(([, hits]) => hits.length),
    );
  });

  it('keeps that a class is taken for others, each of them rarely', () => {
    const sure = (actual: number, predicted: number): Row => ({
      actual,
      parts: levels.map((_, k) => (k === predicted ? 95 : 1)),
    });
    const rows = [
      ...Array<Row>(40).fill(sure(0, 0)),
      ...[1, 2, 3].flatMap((predicted) => Array<Row>(2).fill(sure(0, predicted))),
      ...Array<Row>(30).fill(sure(1, 1)),
      ...Array<Row>(9).fill(sure(1, 4)),
      ...Array<Row>(3).fill(sure(1, 5)),
      ...Array<Row>(20).fill(sure(2, 2)),
      ...Array<Row>(3).fill(sure(2, 5)),
    ];
    const result = evaluated(countsOf(rows, 10, 5));
    expect(result.confusion[0]).toEqual([40, 0, 0, 0, 0, 0]);
    expect(result.elsewhere?.[0]).toBe(6);
    // Three rows more go along with the nine; three errors alone are not told from none.
    expect(result.confusion[1]).toEqual([0, 30, 0, 0, 12, 0]);
    expect(result.confusion[2]).toEqual([0, 0, 23, 0, 0, 0]);
    expectRelative(result['accuracy.margin'], 4 / rows.length, 1e-12, 'margin');
    const text = evaluationText(result);
    for (const part of ['→ others', ' e 12', '83.8 % ± 3.6 %']) expect(text).toContain(part);
  });

  it('refuses files that do not add up, and counts of two forms', () => {
    const rows = fc.sample(anyRows, { numRuns: 1, seed: 4 })[0];
    const told = countsOf(rows, 4, 1) as ManyClassCounts;
    const [first, ...rest] = told.classes;
    const odd = [
      { ...told, n: told.n + 1 },
      { ...told, classes: rest },
      { ...told, classes: [{ ...first, right: first.right + 1 }, ...rest], n: told.n + 1 },
      { ...told, classes: [{ ...first, wrong: [{ predicted: 9, rows: 1 }] }, ...rest] },
      { ...told, schema: 'suffice/evaluation@1' },
    ];
    for (const file of odd) expect(isSiteCounts(file)).toBe(false);
    const other = { ...told, schema: 'suffice/evaluation@1', confusion: [], histograms: [] };
    expect(evaluation([told, other as never])).toHaveProperty('problem');
  });
});

// Made by test/vectors/classifiers.py.
const { digits } = JSON.parse(
  readFileSync(new URL('./vectors/classifiers.json', import.meta.url), 'utf8'),
);

it('ten digits: a site counts, anyone adds up', async () => {
  const folder = temporaryFolder();
  const columns: string[] = digits.columns;
  const kinds = Array.from({ length: 10 }, (_, k) => `k${k}`);
  const cells = columns.map((name, j) => [name, digits.x.map((row: number[]) => row[j])]);
  const table = tableOf({ ...Object.fromEntries(cells), y: digits.y }, { y: kinds });
  const study = {
    ...studyOf(table, 'y ~ .', { fusion: { kind: 'discriminant', shrinkage: 0.25 } }),
    disclosure: { profile: 'none' },
    evaluation: { bins: 10 },
  } as TableStudy;
  const fitted = Array.from({ length: 300 }, (_, r) => r).filter((r) => r % 5 < 2);
  const { report } = federated(study, table, [fitted]);
  if (typeof report === 'string') throw new Error(report);
  const model = join(folder, 'model.json');
  writeFileSync(model, JSON.stringify({ schema: 'suffice/model@1', study, report }));
  const held = fitted.map((r) => r + 2).filter((r) => r < 300);
  const path = join(folder, 'held.csv');
  const lines = held.map((r) => [...digits.x[r], `k${digits.y[r]}`].join());
  writeFileSync(path, `${[[...columns, 'y'].join(), ...lines].join('\n')}\n`);
  const home = join(folder, 'home');
  const out = join(folder, 'counts.json');
  const counted = await suffice('evaluate', model, path, '--out', out, '--home', home, '--yes');
  expect(counted.code).toBe(0);
  expect(counted.stderr).toContain('How sure it is of the class');
  const added = await suffice('evaluate', model, out, '--json');
  const result = JSON.parse(added.stdout);
  const predictor = createPredictor(study, report);
  const block = predictor.variables.map((name) =>
    Float64Array.from(held, (r) => table.cells[name][r]),
  );
  const predictions = predictor.predict(
    { rows: held.length, columns: block },
    { file: 'held', rowOf: (r) => r },
  );
  const chosen = predictions[predictor.names.indexOf('.class')];
  const right = held.filter((r, k) => chosen[k] === digits.y[r]).length;
  expect(result.n).toBe(held.length);
  expect(Math.abs(result.accuracy - right / held.length)).toBeLessThanOrEqual(
    result['accuracy.margin'] ?? 0,
  );
  expect(result.accuracy).toBeGreaterThan(0.8);
});
