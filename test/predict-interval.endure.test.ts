import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Answered } from '../src/analysis/question.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { type FitOutcome, type FitRequest, fitFiles } from '../src/node/run/fit.ts';
import { type PredictRequest, predictRows } from '../src/rows/predict.ts';
import type { Fusion, RidgeFusion } from '../src/study/study.ts';
import { suffice, temporaryFolder, writeSites } from './cli.ts';
import type { VectorTable } from './fitted.ts';
import { expectRelative } from './relative.ts';

type Column = readonly (number | null)[];

interface Case {
  readonly formula: string;
  readonly weights?: string;
  readonly errors?: 'clustered';
  readonly family?: 'binomial' | 'poisson';
  readonly level: number;
  readonly responses: readonly {
    readonly fitted: Column;
    readonly link?: Column;
    readonly se: Column;
    readonly confidence: readonly [Column, Column];
    readonly prediction?: readonly [Column, Column];
  }[];
}

// Made by test/vectors/predict-interval.R.
const vectors: { train: VectorTable; new: VectorTable; cases: readonly Case[] } = JSON.parse(
  readFileSync(new URL('./vectors/predict-interval.json', import.meta.url), 'utf8'),
);

const folder = temporaryFolder();

function linesOf(table: VectorTable): { header: string; lines: string[] } {
  const names = Object.keys(table);
  const lines = table[names[0]].map((_, r) => names.map((name) => table[name][r] ?? 'NA').join());
  return { header: names.join(), lines };
}

const train = linesOf(vectors.train);
const paths = writeSites(folder, 'train', train.header, train.lines, 3);
const newPath = join(folder, 'new.csv');
const fresh = linesOf(vectors.new);
writeFileSync(newPath, `${[fresh.header, ...fresh.lines].join('\n')}\n`);

const leastSquares: RidgeFusion = { kind: 'ridge', ridge: 0 };

function modelOf(formula: string, choices: Partial<FitRequest> = {}): Promise<FitOutcome> {
  return fitFiles(
    {
      formula,
      paths,
      fusion: leastSquares,
      arithmetic: 'exact',
      missing: 'drop',
      decimal: '.',
      missingMarkers: [],
      questions: [{ about: 'covariance' }, { about: 'description' }],
      ...choices,
    },
    () => ({ update: () => {}, done: () => {} }),
  );
}

function choicesOf({ weights, errors, family }: Case): Partial<FitRequest> {
  return {
    ...(weights === undefined ? {} : { weights }),
    ...(errors === undefined ? {} : { fusion: { ...leastSquares, errors } }),
    ...(family === undefined ? {} : { fusion: { kind: 'glm', family } as Fusion, rounds: 6 }),
  };
}

async function predicted(
  request: Omit<PredictRequest, 'file' | 'extrapolate'> & Partial<PredictRequest>,
): Promise<Record<string, number[]>> {
  const values: Record<string, number[]> = {};
  await predictRows(
    { file: { path: newPath }, extrapolate: false, ...request },
    nodeHost,
    (columns, names) =>
      names.forEach((name, k) => {
        values[name] = [...(values[name] ?? []), ...columns[k]];
      }),
  );
  return values;
}

function expectColumn(
  got: readonly number[],
  truth: Column,
  tolerance: number,
  what: string,
): void {
  expect(got).toHaveLength(truth.length);
  truth.forEach((value, r) => {
    if (value === null) expect(got[r], `${what} ${r + 1}`).toBeNaN();
    else expectRelative(got[r], value, tolerance, `${what} ${r + 1}`);
  });
}

describe('intervals of R’s predict', () => {
  it.each(vectors.cases)('$formula ($weights, $errors, $family)', async (one) => {
    const model = await modelOf(one.formula, choicesOf(one));
    const tolerance = one.family === undefined ? 1e-9 : 1e-8;
    for (const kind of ['confidence', 'prediction'] as const) {
      if (kind === 'prediction' && one.family !== undefined) continue;
      const got = await predicted({ model, interval: { kind, level: one.level } });
      one.responses.forEach((truth, k) => {
        const suffix = one.responses.length === 1 ? '' : `.${['y', 'z'][k]}`;
        const [lower, upper] = truth[kind]!;
        expectColumn(got[`.fitted${suffix}`], truth.fitted, tolerance, 'fitted');
        expectColumn(got[`.se.fit${suffix}`], truth.se, tolerance, 'se');
        expectColumn(got[`.lower${suffix}`], lower, tolerance, `${kind} lower`);
        expectColumn(got[`.upper${suffix}`], upper, tolerance, `${kind} upper`);
        if (truth.link !== undefined) expectColumn(got['.link'], truth.link, tolerance, 'link');
      });
    }
  });
});

const confidence = { kind: 'confidence', level: 0.95 } as const;

describe('intervals of one row', () => {
  const at = { x: 9.5, g: 'yes', year: 2011 };
  const path = join(folder, 'one.csv');
  writeFileSync(path, 'x,g,year\n9.5,yes,2011\n');

  it.each([
    ['fixed', 'classical'],
    ['fixed', 'clustered'],
    ['random', 'classical'],
    ['random-ml', 'classical'],
  ] as const)('are those of --at: %s effects, %s errors', async (siteEffects, errors) => {
    const site = siteEffects === 'fixed' ? { '.site': 'train-2' } : {};
    const fusion: Fusion = { kind: 'ridge', ridge: 0, siteEffects, errors };
    const model = await modelOf('y ~ x + g + year', {
      fusion,
      questions: [{ about: 'covariance' }, { about: 'prediction', at: { ...at, ...site } }],
    });
    const truth = model.answers.find(({ about }) => about === 'prediction');
    if (truth === undefined || !('conf.low' in truth)) throw new Error('--at has no interval');
    const place = siteEffects === 'fixed' ? { site: 'train-2' } : {};
    const got = await predicted({ model, file: { path }, interval: confidence, ...place });
    expectRelative(got['.se.fit'][0], truth['std.error']!, 1e-9, 'se');
    expectRelative(got['.lower'][0], truth['conf.low']!, 1e-9, 'lower');
    expectRelative(got['.upper'][0], truth['conf.high']!, 1e-9, 'upper');
    if (truth['pred.low'] === undefined) return;
    const interval = { kind: 'prediction', level: 0.95 } as const;
    const wide = await predicted({ model, file: { path }, interval, ...place });
    expectRelative(wide['.lower'][0], truth['pred.low'], 1e-9, 'prediction lower');
    expectRelative(wide['.upper'][0], truth['pred.high']!, 1e-9, 'prediction upper');
  });
});

describe('a column far from 0', () => {
  const start = 1_700_000_000;
  const y = (r: number) => r / 8 + ((r * 7) % 5) / 4;
  const table = (from: number) =>
    Array.from({ length: 30 }, (_, r) => `${from + 3 * r},${y(r)},${1 + (r % 4)}`);
  const near = writeSites(folder, 'near', 't,y,w', table(0), 2);
  const far = writeSites(folder, 'far', 't,y,w', table(start), 2);

  it('keeps its digits where the file knows the means', async () => {
    const truth = await predicted({
      model: await modelOf('y ~ t', { paths: near }),
      file: { path: near[0] },
      interval: confidence,
    });
    const model = await modelOf('y ~ t', { paths: far });
    const got = await predicted({ model, file: { path: far[0] }, interval: confidence });
    expectColumn(got['.se.fit'], truth['.se.fit'], 1e-8, 'se');
    for (const name of ['.fitted', '.lower', '.upper']) {
      expectColumn(got[name], truth[name], 1e-6, name); // the intercept has that many digits
    }
  });

  it.each([
    ['without the means', { questions: [{ about: 'covariance' }] }],
    ['with weights', { weights: 'w' }],
    ['with clustered errors', { fusion: { ...leastSquares, errors: 'clustered' } }],
  ] as [string, Partial<FitRequest>][])('is refused by row %s', async (_, choices) => {
    const model = await modelOf('y ~ t', { paths: far, ...choices });
    await expect(
      predicted({ model, file: { path: far[0] }, interval: confidence }),
    ).rejects.toThrow(/row \d+: the covariance has too few digits/);
  });
});

describe('a model without intervals', () => {
  const prediction = { kind: 'prediction', level: 0.95 } as const;
  const glm = (family: 'binomial' | 'poisson'): Fusion => ({ kind: 'glm', family });
  const random: Fusion = { ...leastSquares, siteEffects: 'random' };

  it.each([
    ['logistic', 'ill ~ x', prediction, glm('binomial'), 'a class or a yes or no has no'],
    ['Poisson', 'count ~ x', prediction, glm('poisson'), 'a count has no'],
    ['of classes', 'h ~ x', prediction, leastSquares, 'a class or a yes or no has no'],
    ['with random site effects', 'y ~ x', prediction, random, 'random site effects'],
    ['with a ridge', 'y ~ x', confidence, { kind: 'ridge', ridge: 2 }, 'under a penalty'],
    ['with a chosen ridge', 'y ~ x', prediction, { kind: 'ridge', ridge: 'gcv' }, 'a penalty'],
    ['of a lasso', 'y ~ x', confidence, { ...leastSquares, lasso: { lambda: 0.1 } }, 'a lasso'],
  ] as const)('is refused by name: %s', async (_, formula, interval, fusion, words) => {
    const model = await modelOf(formula, { fusion });
    await expect(predicted({ model, interval })).rejects.toThrow(words);
    expect(Object.keys(await predicted({ model }))).toContain(
      formula === 'h ~ x' ? '.class' : '.fitted',
    );
  });

  it('is refused without a covariance, or with another model’s', async () => {
    const model = await modelOf('y ~ x + g', { questions: [{ about: 'covariance' }] });
    const [own] = model.answers;
    if (!('matrix' in own)) throw new Error('no covariance');
    const told = (...answers: unknown[]) =>
      expect(
        predicted({ model: { ...model, answers: answers as Answered[] }, interval: confidence }),
      ).rejects;
    await told().toThrow('no covariance of the coefficients');
    await told({ about: 'covariance', problem: '', advice: '' }).toThrow('no covariance');
    await told({ ...own, errors: 'clustered' }).toThrow('does not belong');
    await told({ ...own, terms: ['(Intercept)', 'x', 'h'] }).toThrow('does not belong');
    await told({ ...own, matrix: own.matrix.slice(1) }).toThrow('does not belong');
    await told({ ...own, matrix: own.matrix.map((row) => row.map(() => null)) }).toThrow(
      'does not belong',
    );
  });
});

describe('suffice predict --interval', () => {
  const saved = join(folder, 'linear.json');

  it('writes broom’s columns, in CSV, behind the file’s own, and in JSON', async () => {
    expect((await suffice('fit', 'y ~ x + g', ...paths, '--save-model', saved)).code).toBe(0);
    const predict = async (...flags: readonly string[]) =>
      (await suffice('predict', saved, newPath, '--interval', 'prediction', ...flags)).stdout;
    const lines = (await predict()).trimEnd().split('\n');
    expect([lines[0], lines.length]).toEqual(['.fitted,.se.fit,.lower,.upper', 21]);
    expect(lines[4]).toBe('NA,NA,NA,NA');
    const own = [fresh.header, ...fresh.lines];
    expect(await predict('--append')).toBe(lines.map((line, r) => `${own[r]},${line}\n`).join(''));
    const json = JSON.parse(await predict('--json', '--level', '0.95'));
    expect(json.columns).toEqual(['.fitted', '.se.fit', '.lower', '.upper']);
    expect(json.predictions['.upper'].map((v: number | null) => String(v ?? 'NA'))).toEqual(
      lines.slice(1).map((line) => line.split(',')[3]),
    );
  });

  it('refuses a level that is none, and one without an interval', async () => {
    const level = ['--level', '95'];
    expect(
      (await suffice('predict', saved, newPath, '--interval', 'confidence', ...level)).code,
    ).toBe(2);
    expect((await suffice('predict', saved, newPath, '--level', '0.9')).code).toBe(2);
  });

  it.each([
    ['prediction', { kind: 'glm', family: 'binomial' }, 2],
    ['confidence', { kind: 'ridge', ridge: 2 }, 3],
  ] as const)('leaves nothing behind where there is none: %s', async (kind, fusion, exit) => {
    const path = join(folder, 'without.json');
    writeFileSync(path, JSON.stringify(await modelOf('ill ~ x', { fusion })));
    const out = join(folder, 'never.csv');
    const before = readdirSync(folder).sort();
    const { code, stdout, stderr } = await suffice(
      ...['predict', path, newPath, '--interval', kind, '--out', out],
    );
    expect([code, stdout, existsSync(out)]).toEqual([exit, '', false]);
    expect(stderr).toContain('→');
    expect(readdirSync(folder).sort()).toEqual(before);
  });
});
