import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createDesign } from '../src/features/design.ts';
import { createPredictor } from '../src/model/predict.ts';
import { federate } from '../src/rows/federate-rows.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { parseFormula } from '../src/study/formula.ts';
import { functionNames } from '../src/study/formula-signatures.ts';
import type { Block } from '../src/table/columns.ts';

interface Case {
  readonly formula: string;
  readonly names: readonly string[];
  readonly coefficients: readonly (number | null)[];
  readonly sigma: number;
  readonly fitted: readonly number[];
  readonly basis: readonly (readonly number[])[];
}

// Made by test/vectors/formula-functions.R.
const {
  rows,
  data,
  cases,
}: {
  readonly rows: readonly number[];
  readonly data: Readonly<Record<string, readonly (number | string)[]>>;
  readonly cases: readonly Case[];
} = JSON.parse(readFileSync(new URL('./vectors/formula-functions.json', import.meta.url), 'utf8'));

const count = data.y!.length;
const levels: Readonly<Record<string, readonly string[]>> = {
  a: ['ash', 'beech', 'cedar'],
  b: ['no', 'yes'],
  d: ['low', 'mid', 'high', 'top'],
};

const codebook: Codebook = Object.fromEntries(
  Object.entries(data).map(([name, values]) => {
    if (levels[name] !== undefined) return [name, { type: 'category', levels: levels[name] }];
    const numbers = values as readonly number[];
    const range = [Math.min(...numbers), Math.max(...numbers)] as const;
    return [name, { type: 'number', range, ...(name === 'k' && { levels: ['1', '2', '3'] }) }];
  }),
);

/** The rows of one of so many sites. */
function siteRows(site: number, sites: number) {
  const own = Array.from({ length: count }, (_, r) => r).filter((r) => r % sites === site);
  return Object.fromEntries(
    Object.entries(data).map(([name, values]) => [name, own.map((r) => values[r]!)]),
  );
}

function fitted(formula: string, sites: number) {
  const names = Array.from({ length: sites }, (_, k) => `site ${k + 1}`);
  return federate(
    { formula, codebook },
    Object.fromEntries(names.map((name, k) => [name, siteRows(k, sites)])),
    { audience: 'owner' },
  );
}

function blockOf(variables: readonly string[]): Block {
  const columns = variables.map((name) =>
    Float64Array.from(rows, (r) => {
      const value = data[name]![r]!;
      return typeof value === 'number' ? value : levels[name]!.indexOf(value);
    }),
  );
  return { rows: rows.length, columns };
}

const origin = { file: 'site.csv', rowOf: (r: number) => r + 1 };

/** Largest difference, beside the largest size. */
function apart(found: ArrayLike<number>, wanted: readonly number[]): number {
  const size = Math.max(...wanted.map(Math.abs), 1e-300);
  return Math.max(...wanted.map((value, k) => Math.abs(found[k]! - value))) / size;
}

describe('lm() of R, federated over three sites', () => {
  it.each(cases)('$formula', ({ formula, names, coefficients, sigma, basis, ...wanted }) => {
    const design = createDesign(parseFormula(formula), codebook);
    const predictors = design.columns.length - design.responses;
    expect(design.columns.slice(0, predictors).map(({ name }) => name)).toEqual(names);

    const block = blockOf(design.variables);
    const hi = design.columns.map(() => new Float64Array(block.rows));
    const lo = design.columns.map(() => new Float64Array(block.rows));
    design.evaluate(block, origin, hi, lo);
    basis.forEach((column, k) => {
      expect(apart(hi[k]!, column), names[k]!).toBeLessThan(1e-12);
    });
    design.columns.forEach(({ name, interval }, k) => {
      expect(Math.min(...hi[k]!), name).toBeGreaterThanOrEqual(interval.low);
      expect(Math.max(...hi[k]!), name).toBeLessThanOrEqual(interval.high);
    });

    const { study, report, total } = fitted(formula, 3);
    // The same sums to the last bit, however rows are shared out.
    expect(total!.values).toEqual(fitted(formula, 1).total!.values);
    const byName = new Map(report.terms!.map(({ term, estimate }) => [term, estimate]));
    names.forEach((name, k) => {
      const value = coefficients[k] ?? 0;
      const found = byName.get(name) ?? 0;
      expect(Math.abs(found - value), name).toBeLessThanOrEqual(1e-9 * Math.abs(value));
    });
    expect(Math.abs(report.glance!.sigma! / sigma - 1)).toBeLessThan(1e-9);

    const predictor = createPredictor(study, report);
    const [predicted] = predictor.predict(blockOf(predictor.variables), origin);
    expect(apart(predicted!, wanted.fitted)).toBeLessThan(1e-9);
  });

  it('has a formula for every function', () => {
    const all = cases.map(({ formula }) => formula).join('\n');
    expect(functionNames.filter((name) => name !== 'I' && !all.includes(`${name}(`))).toEqual([
      'log2',
      'log10',
      'exp',
      'sqrt',
      'abs',
    ]);
  });
});
