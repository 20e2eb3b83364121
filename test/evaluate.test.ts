import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Discriminant } from '../src/analysis/discriminant.ts';
import { type Evaluation, evaluation } from '../src/analysis/evaluation.ts';
import {
  classCounter,
  type EvaluationCounts,
  isEvaluationCounts,
  type ReleasedCounts,
} from '../src/analysis/evaluation-counts.ts';
import { evaluationText } from '../src/analysis/evaluation-text.ts';
import { mergedCells, type PredictionCell, rowsInCells } from '../src/analysis/merged-cells.ts';
import type { Report } from '../src/model/report.ts';
import type { ModelFile } from '../src/node/files/model-file.ts';
import { countFile, readCounts } from '../src/node/run/evaluate.ts';
import { forgottenBy, type SiteMembership } from '../src/site/join.ts';
import type { SiteStore } from '../src/site/site-store.ts';
import type { EvaluationTerms, TableStudy } from '../src/study/study.ts';
import { tableStudy } from '../src/study/table-study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { expectRelative } from './relative.ts';

interface Judged {
  readonly bins: number;
  readonly confusion: number[][];
  readonly accuracy: number;
  readonly precision: number[];
  readonly recall: number[];
  readonly curves: readonly {
    readonly auc: number;
    readonly unbinned: number;
    readonly brier: number;
    readonly intercept: number;
    readonly slope: number;
    readonly reliability: readonly { predicted: number; observed: number; n: number }[];
  }[];
}

// Made by test/vectors/evaluation.py.
const vectors: {
  readonly two: Judged & { readonly link: number[]; readonly y: number[] };
  readonly three: Judged & { readonly scores: number[][]; readonly kind: number[] };
} = JSON.parse(readFileSync(new URL('./vectors/evaluation.json', import.meta.url), 'utf8'));

const folder = temporaryFolder();

function write(name: string, columns: Readonly<Record<string, readonly (number | string)[]>>) {
  const names = Object.keys(columns);
  const lines = columns[names[0]].map((_, r) => names.map((key) => columns[key][r]).join());
  const path = join(folder, name);
  writeFileSync(path, `${[names.join(), ...lines].join('\n')}\n`);
  return path;
}

function reportOf(formula: string, rest: Partial<Report>): Report {
  return {
    schema: 'suffice/report@1',
    formula,
    n: 1,
    sites: [],
    arithmetic: 'exact',
    grid: 44,
    aliased: [],
    digest: 'sha256:0',
    ...rest,
  };
}

/** A logistic model whose link is the column itself. */
function logistic(terms: EvaluationTerms | undefined): ModelFile {
  const study: TableStudy = {
    schema: 'suffice/study@1',
    formula: 'I(y > 0) ~ link',
    codebook: {
      y: { type: 'number', range: [0, 1] },
      link: { type: 'number', range: [-20, 20] },
    },
    fusion: { kind: 'glm', family: 'binomial' },
    arithmetic: 'exact',
    disclosure: { profile: 'none' },
    ...(terms === undefined ? {} : { evaluation: terms }),
  };
  const weights = [
    { term: '(Intercept)', estimate: 0 },
    { term: 'link', estimate: 1 },
  ];
  return { study, report: reportOf(study.formula, { terms: weights, family: 'binomial' }) };
}

/** A discriminant analysis whose scores are the columns themselves. */
function softmax(terms: EvaluationTerms): ModelFile {
  const names = ['a', 'b', 'c'];
  const number = { type: 'number', range: [-20, 20] } as const;
  const study: TableStudy = {
    schema: 'suffice/study@1',
    formula: 'kind ~ a + b + c',
    codebook: {
      kind: { type: 'category', levels: ['k0', 'k1', 'k2'] },
      a: number,
      b: number,
      c: number,
    },
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    disclosure: { profile: 'none' },
    evaluation: terms,
  };
  const answer: Discriminant = {
    about: 'discriminant',
    label: 'kind',
    terms: names,
    aliased: [],
    ridge: 0,
    empty: [],
    classes: names.map((_, k) => ({
      level: `k${k}`,
      n: 1,
      prior: 1 / 3,
      means: [0, 0, 0],
      constant: 0,
      coefficients: names.map((__, j) => Number(j === k)),
    })),
  };
  const responses = names.map((_, k) => ({
    response: `kindk${k}`,
    terms: [{ term: '(Intercept)', estimate: 0 }],
    glance: { nobs: 1, 'r.squared': 0 } as never,
  }));
  return { study, report: reportOf(study.formula, { responses }), answers: [answer] as never[] };
}

/** Of a site that shows every count of its own. */
const own = [{ thresholds: { cell: 1 } }];
const exactly = (bins: number): EvaluationTerms => ({ bins, smallest: 1 });
const { two, three } = vectors;
const twoPath = write('two.csv', { y: two.y, link: two.link });
const [a, b, c] = three.scores;
const threePath = write('three.csv', { a, b, c, kind: three.kind.map((k) => `k${k}`) });

function judge(files: readonly EvaluationCounts[]): Evaluation {
  const result = evaluation(files);
  if ('problem' in result) throw new Error(result.problem);
  return result;
}

async function countsOf(model: ModelFile, path: string): Promise<EvaluationCounts> {
  const { smallest } = model.study.evaluation ?? {};
  const rules = smallest === 1 ? { own } : {};
  const { counts } = await countFile({ model, file: { path }, extrapolate: false, ...rules });
  return counts as EvaluationCounts;
}

describe('sklearn and statsmodels on the binned probabilities', () => {
  it.each([
    ['two classes', logistic(exactly(20)), twoPath, two],
    ['three classes', softmax(exactly(10)), threePath, three],
  ] as const)('%s', async (_, model, path, truth) => {
    const result = judge([await countsOf(model, path)]);
    expect(result.merged).toBe(false);
    expect(result.scores).toBe('probability');
    expect(result.confusion).toEqual(truth.confusion);
    expectRelative(result.accuracy, truth.accuracy, 1e-12, 'accuracy');
    result.classes.forEach(({ precision, recall }, k) => {
      expectRelative(precision, truth.precision[k], 1e-12, 'precision');
      expectRelative(recall, truth.recall[k], 1e-12, 'recall');
    });
    expect(result.curves).toHaveLength(truth.curves.length);
    result.curves.forEach((curve, k) => {
      const expected = truth.curves[k];
      expectRelative(curve.auc, expected.auc, 1e-12, 'AUC');
      expectRelative(curve.brier, expected.brier, 1e-12, 'Brier');
      expectRelative(curve.recalibration?.intercept, expected.intercept, 1e-6, 'intercept');
      expectRelative(curve.recalibration?.slope, expected.slope, 1e-6, 'slope');
      expect(Math.abs((curve.auc ?? 0) - expected.unbinned)).toBeLessThanOrEqual(
        curve['auc.margin'] ?? 0,
      );
      expect(curve.reliability.map(({ n }) => n)).toEqual(expected.reliability.map(({ n }) => n));
      curve.reliability.forEach(({ predicted, observed }, bin) => {
        expectRelative(predicted, expected.reliability[bin].predicted, 1e-14, 'predicted');
        expectRelative(observed, expected.reliability[bin].observed, 1e-14, 'observed');
      });
    });
  });

  it('is the same from the counts of several sites', async () => {
    const model = softmax(exactly(10));
    const whole = judge([await countsOf(model, threePath)]);
    const parts = await Promise.all(
      [0, 1, 2].map((site) => {
        const own = (values: readonly number[]) => values.filter((_, r) => r % 3 === site);
        const kinds = own(three.kind).map((k) => `k${k}`);
        const path = write(`part-${site}.csv`, { a: own(a), b: own(b), c: own(c), kind: kinds });
        return countsOf(model, path);
      }),
    );
    expect({ ...judge(parts), files: 1 }).toEqual(whole);
  });
});

/** Rows in one published set and not in another that is a part of it. */
function nestedDifferences({ confusion, histograms }: ReleasedCounts): number[] {
  const add = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  if (confusion.length === 2) return [];
  return histograms.flatMap(({ own, others }, k) => {
    const bins = own.length;
    // Whatever is above one half is predicted.
    const upper = Math.ceil((bins + 1) / 2);
    const predicted = add(confusion.map((row) => row[k]));
    // What is surely of one class is surely not of another.
    const certain = own.at(-1)!;
    const low = histograms.filter((_, other) => other !== k).map((one) => one.others);
    return [
      confusion[k][k] - add(own.slice(upper)),
      predicted - confusion[k][k] - add(others.slice(upper)),
      ...(bins > 2 ? low.map(([first, second]) => first + second - certain) : []),
    ];
  });
}

describe('counts too small to tell', () => {
  const total = (counts: readonly number[]) => counts.reduce((s, k) => s + k, 0);

  const along = (counts: readonly number[]): PredictionCell[] =>
    counts.flatMap((rows, bin) => (rows > 0 ? [{ predicted: 0, bins: [bin], rows }] : []));

  it('are put into a cell nearby', () => {
    expect(mergedCells(along([0, 9, 0, 2, 7]), 5, 9)).toEqual(along([0, 9, 0, 0, 9]));
    expect(mergedCells(along([3, 0, 0, 1, 1]), 5, 9)).toEqual(along([0, 0, 5]));
    expect(mergedCells([], 5, 9)).toEqual([]);
    // Two rows are predicted to be of another class; most are not.
    const odd = { predicted: 1, bins: [3], rows: 2 };
    expect(mergedCells([...along([0, 9, 6]), odd], 5, 5)).toEqual(along([0, 11, 6]));
  });

  it('are gone when cells are merged; no row is lost, and large cells alone stay as they are', () => {
    const cell = fc.record({
      predicted: fc.nat(2),
      bins: fc.tuple(fc.nat(4), fc.nat(4)),
      rows: fc.integer({ min: 1, max: 12 }),
    });
    const table = fc.uniqueArray(cell, {
      selector: ({ predicted, bins }) => [predicted, ...bins].join(),
      maxLength: 40,
    });
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 9 }), (cells, smallest) => {
        const merged = mergedCells(cells, smallest, 5);
        expect(rowsInCells(merged)).toBe(rowsInCells(cells));
        const few = merged.filter(({ rows }) => rows < smallest);
        expect(rowsInCells(cells) < smallest ? [] : few).toEqual([]);
        const sorted = (some: readonly PredictionCell[]) => some.map((one) => JSON.stringify(one));
        expect(mergedCells(cells.toReversed(), smallest, 5)).toEqual(merged);
        if (cells.every(({ rows }) => rows >= smallest))
          expect(sorted(merged).toSorted()).toEqual(sorted(cells).toSorted());
      }),
    );
  });

  it('are nowhere in what a site tells', () => {
    const row = fc.record({
      actual: fc.nat(2),
      first: fc.nat(100),
      second: fc.nat(100),
      third: fc.nat(100),
    });
    const bins = fc.integer({ min: 2, max: 12 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 120 }), bins, fc.boolean(), (rows, count, pair) => {
        const levels = pair ? ['no', 'yes'] : ['x', 'y', 'z'];
        const counter = classCounter(levels, count);
        for (const { actual, first, second, third } of rows) {
          const parts = [first + 1, second + 1, third + 1].slice(0, levels.length);
          const shares = parts.map((part) => part / total(parts));
          const best = shares.indexOf(Math.max(...shares));
          counter.count(actual % levels.length, best, (level) => shares[level]);
        }
        const told = counter.finish(5);
        if ('problem' in told) return;
        const lists = [
          ...told.confusion,
          ...told.histograms.flatMap(({ own, others }) => [own, others]),
        ];
        expect(lists.flat().filter((n) => n > 0 && n < 5)).toEqual([]);
        expect(nestedDifferences(told).filter((n) => n !== 0 && n < 5)).toEqual([]);
        expect(total(told.confusion.map(total))).toBe(rows.length);
        const file = { schema: 'suffice/evaluation@1', model: 'm', study: 's', label: 'l', levels };
        expect(isEvaluationCounts({ ...file, bins: count, ...told })).toBe(true);
      }),
    );
  });

  it('of a whole class stop the file', async () => {
    const path = write('few.csv', { y: [1, 1, ...Array(30).fill(0)], link: Array(32).fill(0.5) });
    await expect(countsOf(logistic({ bins: 20 }), path)).rejects.toThrow('fewer than 5 rows');
    const lax = logistic({ bins: 20, smallest: 2 });
    await expect(countsOf(lax, path)).rejects.toThrow('fewer than 5 rows');
    const request = { model: lax, file: { path }, extrapolate: false };
    await expect(countFile({ ...request, own })).resolves.toBeDefined();
  });

  it('are the site’s to decide, whatever a model file says', async () => {
    const rows = 400;
    const age = Array.from({ length: rows }, (_, r) => (r === 123 ? 43 : 50 + (r % 30)));
    const hiv = age.map((_, r) => (r === 123 || r % 3 === 0 ? 1 : 0));
    const path = write('hiv.csv', { hiv, age });
    const asked = logistic({ bins: 1000, smallest: 1 });
    const term = (name: string, estimate: number) => ({
      ...asked.report.terms![0],
      term: name,
      estimate,
    });
    const formula = 'hiv ~ I((age == 43) * 1)';
    const model: ModelFile = {
      study: {
        ...asked.study,
        formula,
        codebook: {
          hiv: { type: 'number', range: [0, 1] },
          age: { type: 'number', range: [18, 100] },
        },
        disclosure: { profile: 'none' },
      },
      report: {
        ...asked.report,
        formula,
        terms: [term('(Intercept)', -3), term('I((age == 43) * 1)', 6)],
      },
    };
    const file = join(folder, 'hostile.json');
    writeFileSync(file, JSON.stringify({ schema: 'suffice/model@1', ...model }));
    const home = join(folder, 'site');
    const counts = async (...flags: string[]) => {
      const { code, stdout, stderr } = await suffice(
        'evaluate',
        file,
        path,
        '--home',
        home,
        '--yes',
        ...flags,
      );
      expect(code, stderr).toBe(0);
      expect(stderr).toContain(formula);
      expect(stderr).toContain('nobody has signed the model');
      const { histograms, confusion, smallest } = JSON.parse(stdout) as EvaluationCounts;
      const lists = [...confusion, ...histograms.flatMap(({ own, others }) => [own, others])];
      return { smallest, least: Math.min(...lists.flat().filter((n) => n > 0)) };
    };
    const usual = await counts();
    expect(usual.smallest).toBe(5);
    expect(usual.least).toBeGreaterThanOrEqual(5);
    const again = ['--acknowledge', 'R9'];
    expect((await counts('--profile', 'agency', ...again)).smallest).toBe(10);
    writeFileSync(join(home, 'rules.json'), '{ "thresholds": { "cell": 20 } }');
    expect((await counts(...again)).smallest).toBe(20);
    writeFileSync(join(home, 'rules.json'), '{ "profil": "agency" }');
    const { code, stdout, stderr } = await suffice('evaluate', file, path, '--home', home, '--yes');
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('rules of this site cannot be read');
  });

  it.each([
    ['two', logistic({ bins: 20 }), twoPath, two, 0.01],
    ['three', softmax({ bins: 10 }), threePath, three, 0.04],
  ] as const)('leave the evaluation close to what it was: %s classes', async (...row) => {
    const [, model, path, truth, margin] = row;
    const counts = await countsOf(model, path);
    expect(counts.merged).toBe(true);
    const result = judge([counts]);
    result.curves.forEach(({ auc = 0 }, k) => {
      expect(Math.abs(auc - truth.curves[k].auc)).toBeLessThan(margin);
    });
    expect(evaluationText(result)).toContain('approximate');
  });
});

describe('suffice evaluate', () => {
  it('needs a study that allows it, and no more bins than it says', async () => {
    await expect(countsOf(logistic(undefined), twoPath)).rejects.toMatchObject({
      code: 'not-allowed',
    });
    const model = logistic({ bins: 10 });
    const request = { model, file: { path: twoPath }, extrapolate: false };
    await expect(countFile({ ...request, bins: 11 })).rejects.toMatchObject({
      code: 'not-allowed',
    });
    expect((await countFile({ ...request, bins: 5 })).counts.bins).toBe(5);
  });

  it('has nothing to say of numbers', async () => {
    const model = logistic(exactly(10));
    const { family: _, ...report } = model.report;
    const study: TableStudy = {
      ...tableStudy(model.study),
      formula: 'y ~ link',
      fusion: { kind: 'ridge', ridge: 0 },
    };
    await expect(countsOf({ study, report }, twoPath)).rejects.toThrow('predicts numbers');
  });

  it('leaves out rows without a response, and takes a number column of 0 and 1', async () => {
    const model = logistic(exactly(4));
    const plain = { ...model, study: { ...model.study, formula: 'y ~ link' } };
    const path = write('gaps.csv', { y: [1, 'NA', 0, 1], link: [1, 1, 'NA', -1] });
    const { counts, dropped } = await countFile({
      model: plain,
      file: { path },
      extrapolate: false,
      own,
    });
    expect(dropped).toBe(2);
    expect(counts).toMatchObject({ n: 2, label: 'y', levels: ['0', '1'] });
    expect((counts as EvaluationCounts).histograms).toEqual([
      { level: '1', own: [0, 1, 1, 0], others: [0, 0, 0, 0] },
    ]);
    const [curve] = judge([counts as EvaluationCounts]).curves;
    expect(curve.auc).toBeUndefined();
    expect(curve.recalibration).toBeUndefined();
  });

  it('refuses counts of another model or other bins, and files that are none', async () => {
    const model = logistic(exactly(20));
    const counts = await countsOf(model, twoPath);
    const path = join(folder, 'counts.json');
    const reading = (value: unknown) => {
      writeFileSync(path, JSON.stringify(value));
      return readCounts(path, model);
    };
    expect(reading(counts)).toEqual(counts);
    expect(() => reading({ ...counts, model: 'sha256:1' })).toThrow('another model');
    expect(() => reading({ ...counts, n: counts.n + 1 })).toThrow('has no counts');
    expect(() => reading({ ...counts, confusion: [[1]] })).toThrow('has no counts');
    const fewer = (
      await countFile({ model, file: { path: twoPath }, extrapolate: false, bins: 10, own })
    ).counts;
    expect(evaluation([counts, fewer])).toMatchObject({
      problem: 'the counts are of different bins',
    });
  });

  it('counts at a site and adds up elsewhere, from the command line', async () => {
    const save = (name: string, model: ModelFile) => {
      const path = join(folder, name);
      writeFileSync(path, JSON.stringify({ schema: 'suffice/model@1', ...model }));
      return path;
    };
    const model = save('model.json', logistic(exactly(20)));
    const out = join(folder, 'site-1.json');
    const home = join(folder, 'open');
    mkdirSync(home);
    writeFileSync(join(home, 'rules.json'), JSON.stringify(own[0]));
    const counted = await suffice(
      ...['evaluate', model, twoPath, '--out', out, '--home', home, '--yes'],
    );
    expect(counted.code, counted.stderr).toBe(0);
    expect(counted.stderr).toContain('400 rows counted in 20 bins');
    expect(Object.keys(JSON.parse(readFileSync(out, 'utf8')))).toEqual([
      'schema',
      'model',
      'study',
      'label',
      'levels',
      'scores',
      'bins',
      'smallest',
      'n',
      'histograms',
      'confusion',
      'merged',
    ]);
    const result: Evaluation = JSON.parse(
      (await suffice('evaluate', model, out, out, '--json')).stdout,
    );
    expect(result.n).toBe(800);
    expectRelative(result.curves[0].auc, two.curves[0].auc, 1e-12, 'AUC');
    const closed = save('closed.json', logistic(undefined));
    const nothing = join(folder, 'nothing.json');
    const refused = await suffice(
      ...['evaluate', closed, twoPath, '--out', nothing, '--home', home, '--yes'],
    );
    expect(refused.code).toBe(5);
    expect(existsSync(nothing)).toBe(false);
  });
});

describe('counts that leave a site', () => {
  const rows = (from: number, to: number) => {
    const numbers = Array.from({ length: to - from }, (_, k) => from + k);
    return {
      link: numbers.map((r) => (((r * 37) % 101) / 25 - 2).toFixed(3)),
      y: numbers.map((r) => ((r * 53) % 89 < 40 ? 1 : 0)),
      note: numbers.map((r) => r + 0.5),
    };
  };
  const save = (name: string, model: ModelFile) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify({ schema: 'suffice/model@1', ...model }));
    return path;
  };
  const asked = logistic({ bins: 10 });
  const codebook = {
    ...tableStudy(asked.study).codebook,
    note: { type: 'number', range: [0, 1e4] },
  } as const;
  const study = { ...asked.study, formula: 'I(y > 0) ~ link + note', codebook };
  const terms = [...asked.report.terms!, { term: 'note', estimate: 0 }];
  const model: ModelFile = { study, report: { ...asked.report, formula: study.formula, terms } };
  const modelPath = save('leaving.json', model);
  let sites = 0;

  /** A site, and what becomes of counts that it is asked for. */
  function site() {
    const home = join(folder, `leaving-${++sites}`);
    const ledger = join(home, 'ledger.jsonl');
    return {
      home,
      lines: () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').trimEnd().split('\n') : []),
      async count(range: readonly [number, number], ...flags: string[]) {
        const path = write(`leaving-${sites}.csv`, rows(...range));
        const out = join(folder, `leaving-${sites}.out.json`);
        const place = ['--out', out, '--home', home];
        const outcome = await suffice('evaluate', modelPath, path, ...place, ...flags);
        const written = existsSync(out);
        rmSync(out, { force: true });
        return { ...outcome, written };
      },
    };
  }

  it('are shown and asked for: without a terminal or a yes nothing is written', async () => {
    const here = site();
    const unasked = await here.count([0, 200]);
    expect([unasked.code, unasked.written, here.lines()]).toEqual([2, false, []]);
    const rehearsed = await here.count([0, 200], '--dry-run');
    expect([rehearsed.code, rehearsed.written, here.lines()]).toEqual([0, false, []]);
    expect(rehearsed.stderr).toContain('200 held-out rows');
    expect(rehearsed.stderr).toContain('AUC');
    expect(rehearsed.stdout).toBe('');
  });

  it('have a line in the ledger', async () => {
    const here = site();
    const { code, written, stderr } = await here.count([0, 200], '--yes');
    expect([code, written], stderr).toEqual([0, true]);
    const { stdout } = await suffice('ledger', '--home', here.home, '--json');
    const [line, ...others] = JSON.parse(stdout).releases;
    expect(others).toEqual([]);
    expect(line).toMatchObject({ rows: 200, evaluated: model.report.digest, outcome: 'written' });
    expect((await suffice('ledger', '--home', here.home)).stdout).toContain(
      'counts of an evaluation on 200 rows',
    );
  });

  it.each([
    ['the same counts again', [0, 200], [], 0],
    ['9 rows less', [0, 191], ['--acknowledge', 'R9'], 5],
    ['the same rows in other bins', [0, 200], ['--bins', '9'], 5],
    ['10 rows less, acknowledged', [0, 190], ['--acknowledge', 'R9'], 0],
  ] as const)('are compared with those before: %s', async (_, range, flags, expected) => {
    const here = site();
    expect((await here.count([0, 200], '--yes')).code).toBe(0);
    const { code, written, stderr } = await here.count(range, '--yes', ...flags);
    expect([code, written], stderr).toEqual([expected, expected === 0]);
    if (expected !== 0) expect(here.lines().length).toBe(1);
  });

  it('obey the other rules of the site: enough rows, and no comparisons where it takes none', async () => {
    const here = site();
    mkdirSync(here.home);
    writeFileSync(join(here.home, 'rules.json'), '{ "thresholds": { "rows": 100 } }');
    const few = await here.count([0, 99], '--yes');
    expect([few.code, few.written, here.lines()]).toEqual([5, false, []]);
    expect(few.stderr).toMatch(/R0 +refuses/);
    writeFileSync(join(here.home, 'rules.json'), '{ "comparisons": "forbid" }');
    const compared = await here.count([0, 100], '--yes');
    expect([compared.code, compared.written, here.lines()]).toEqual([5, false, []]);
    expect(compared.stderr).toMatch(/R3 +refuses/);
    rmSync(join(here.home, 'rules.json'));
    expect((await here.count([0, 100], '--yes')).code).toBe(0);
  });

  it('are shown without what a model file would do to a terminal', async () => {
    const odd = `k2\u001b[31m\u202e`;
    const asked = softmax({ bins: 4 });
    const { study, answers, report } = asked;
    const text = JSON.stringify({ schema: 'suffice/model@1', study, report, answers });
    const path = join(folder, 'odd.json');
    writeFileSync(path, text.replaceAll('k2"', `${JSON.stringify(odd).slice(1)}`));
    const kinds = three.kind.map((k) => (k === 2 ? odd : `k${k}`));
    const rows = write('odd.csv', { a, b, c, kind: kinds });
    const place = ['--home', site().home];
    const rehearsed = await suffice('evaluate', path, rows, '--dry-run', ...place);
    expect(rehearsed.code, rehearsed.stderr).toBe(0);
    const out = join(folder, 'odd-counts.json');
    expect((await suffice('evaluate', path, rows, '--yes', '--out', out, ...place)).code).toBe(0);
    const printed = await suffice('evaluate', path, rows, '--yes', ...place);
    expect(JSON.parse(printed.stdout).levels[2]).toBe(odd);
    expect(printed.stdout).not.toContain('\u202e');
    const { stdout } = await suffice('evaluate', path, out);
    for (const shown of [rehearsed.stderr, stdout]) {
      expect(shown).toContain('k2<U+001B>[31m<U+202E>');
      expect(shown).not.toContain(odd);
    }
  });

  it('are no contributions that the coordinator could have', async () => {
    const line = { study: 's', site: 'north', sequence: 1, evaluated: 'm' };
    const store = { ledger: async () => [line] } as unknown as SiteStore;
    const membership = { agreed: { digest: 's' }, site: 'north', nextSequence: 2 };
    expect(await forgottenBy(store, membership as SiteMembership)).toEqual([1]);
  });

  // Σ I(y > 0) without one row, minus the size of the class with it, is the class of that row.
  it.each([
    ['1 row less', 199, 5],
    ['10 rows less', 190, 0],
  ])('are compared with sums: %s', async (_, to, expected) => {
    const here = site();
    const plain = join(folder, 'sums.json');
    writeFileSync(plain, JSON.stringify({ ...study, disclosure: {} }));
    const path = write('sums.csv', rows(0, to));
    const out = join(folder, `sums-${to}.suffice`);
    const contribute = ['contribute', plain, path, '--out', out, '--home', here.home];
    expect((await here.count([0, 200], '--yes')).code).toBe(0);
    const { code, stderr } = await suffice(...contribute, '--acknowledge', 'R6,R10');
    expect([code, existsSync(out)], stderr).toEqual([expected, expected === 0]);
    if (expected !== 0) expect(stderr).toContain('R9');
    const other = site();
    const first = await suffice(...contribute, '--force', '--home', other.home);
    expect(first.code, first.stderr).toBe(0);
    expect((await other.count([0, 200], '--yes')).code).toBe(expected);
  });

  it('end a promise of privacy only where somebody acknowledges it', async () => {
    const here = site();
    const privateStudy = join(folder, 'promise.json');
    const terms = { epsilon: 1, delta: 1e-6, unit: 'row' } as const;
    const { evaluation: _, disclosure: __, ...rest } = study;
    const fusion = { kind: 'ridge', ridge: 0 } as const;
    writeFileSync(
      privateStudy,
      JSON.stringify({ ...rest, formula: 'y ~ link + note', fusion, privacy: terms }),
    );
    const path = write('promised.csv', rows(100, 300));
    const out = join(folder, 'promised.suffice');
    const place = ['--out', out, '--home', here.home];
    expect((await suffice('contribute', privateStudy, path, ...place)).code).toBe(0);
    const refused = await here.count([0, 101], '--yes');
    expect([refused.code, refused.written, here.lines().length]).toEqual([5, false, 1]);
    expect(refused.stderr).toContain('ends the promise');
    expect((await here.count([0, 100], '--yes')).code).toBe(0);
  });
});

describe('the table of predictions and the histogram', () => {
  it.each([0, 1])('together do not tell the class %i of one row in a middle bin', (target) => {
    const counter = classCounter(['no', 'yes'], 3);
    const add = (actual: number, p: number) =>
      counter.count(actual, p < 0.5 ? 0 : 1, (level) => (level === 1 ? p : 1 - p));
    for (let k = 0; k < 50; k++)
      for (const actual of [0, 1]) for (const p of [0.1, 0.6]) add(actual, p);
    // The only row between 1/3 and 1/2.
    add(target, 0.4);
    const counts = counter.finish(5);
    if ('problem' in counts) throw new Error(counts.problem);
    const [{ own, others }] = counts.histograms;
    expect([own.length, counts.n, counts.merged]).toEqual([3, 201, true]);
    [others, own].forEach((bins, actual) => {
      // Rows that are predicted "no" and are not in the first bin.
      const between = counts.confusion[actual][0] - bins[0];
      expect(between === 0 || between >= 5).toBe(true);
    });
  });

  // Someone knows the target's covariates, so also that the model gives it p = (0.4, 0.35, 0.25), and wants its class.
  it.each([0, 1, 2])('together do not tell the class %i of one row of three classes', (target) => {
    const counter = classCounter(['x', 'y', 'z'], 2);
    const add = (actual: number, shares: readonly number[], rows = 1) => {
      const best = shares.indexOf(Math.max(...shares));
      for (let k = 0; k < rows; k++) counter.count(actual, best, (level) => shares[level]);
    };
    for (const actual of [0, 1, 2]) {
      for (const best of [0, 1, 2]) {
        const shares = [0.1, 0.1, 0.1].with(best, 0.8);
        add(actual, shares, actual === best ? 50 : 10);
      }
    }
    add(target, [0.4, 0.35, 0.25]);
    const counts = counter.finish(5);
    if ('problem' in counts) throw new Error(counts.problem);
    const { confusion, histograms } = counts;
    // Rows predicted to be of the first class that are not above one half, by whether they are of it.
    const between = [
      confusion[0][0] - histograms[0].own[1],
      confusion[1][0] + confusion[2][0] - histograms[0].others[1],
    ];
    expect(between.filter((rows) => rows !== 0 && rows < 5)).toEqual([]);
    expect([counts.n, counts.merged]).toEqual([211, true]);
  });

  // Someone knows everybody's covariates, so also their bins, and wants the class of whoever is alone in a bin.
  it('do not tell the class of those who are alone in a bin with a count', () => {
    let [alone, ofTheClass] = [0, 0];
    for (let draw = 0; draw < 20; draw++) {
      const people = Array.from({ length: 300 }, (_, k) => ({
        bin: (k * 389 + draw * 97) % 1000,
        actual: ((k * 7919 + draw * 104729) % 1009) % 2,
      }));
      const counter = classCounter(['no', 'yes'], 1000);
      for (const { bin, actual } of people) {
        const p = (bin + 0.5) / 1000;
        counter.count(actual, Number(p > 0.5), () => p);
      }
      const counts = counter.finish(5);
      if ('problem' in counts) throw new Error(counts.problem);
      const [{ own }] = counts.histograms;
      const shown = people.filter(({ bin }) => own[bin] > 0);
      alone += shown.length;
      ofTheClass += shown.filter(({ actual }) => actual === 1).length;
    }
    expect(alone).toBeGreaterThan(20);
    expect(ofTheClass / alone).toBeLessThan(0.7);
  });
});
