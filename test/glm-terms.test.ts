import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../src/analysis/comparison.ts';
import type { Audit } from '../src/disclosure/rule.ts';
import { refine } from '../src/fusion/next-round.ts';
import type { Fit } from '../src/model/fit.ts';
import { createReport, type Report } from '../src/model/report.ts';
import { reportText } from '../src/model/report-text.ts';
import type { GlmFusion, TableStudy } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { chosen, enduring } from './endurance.ts';
import type { VectorTable } from './fitted.ts';
import { coefficientsOf, dealt, oneRound, rounds, solved, vectorTable } from './glm-rounds.ts';
import { expectRelative } from './relative.ts';

/** What test/vectors/glm-terms.R says of one regression. */
interface Answer {
  readonly formula: string;
  readonly family: 'binomial' | 'poisson';
  readonly weights?: string;
  readonly ridge?: number;
  readonly terms: readonly string[];
  readonly estimate: readonly number[];
  readonly std_error: readonly number[];
  readonly deviance: number;
  readonly null_deviance: number;
  readonly logLik: number;
  readonly AIC: number;
  readonly BIC: number;
  readonly df_residual: number;
  readonly nobs: number;
  /** Fitted means of the first rows. */
  readonly fitted: readonly number[];
  readonly HC0?: readonly number[];
  readonly HC1?: readonly number[];
  readonly clustered?: readonly number[];
  readonly drop?: readonly {
    readonly term: string;
    readonly statistic: number;
    readonly df: number;
    readonly p: number;
    readonly deviance: number;
    readonly AIC: number;
  }[];
}

const vectors = JSON.parse(
  readFileSync(new URL('vectors/glm-terms.json', import.meta.url), 'utf8'),
) as {
  readonly table: VectorTable;
  readonly fits: readonly Answer[];
  readonly offsets: readonly Answer[];
  readonly ridges: readonly Answer[];
};
const { site, ...columns } = vectors.table;
const table = vectorTable(columns);
const sites = dealt(site.map((name) => ['a', 'b', 'c'].indexOf(String(name))));

/** The tolerance. */
const TOLERANCE = 1e-8;

function studyOf({ formula, family, weights }: Answer, terms: Partial<GlmFusion>): TableStudy {
  return {
    schema: 'suffice/study@1',
    formula,
    codebook: table.codebook,
    ...(weights === undefined ? {} : { weights }),
    fusion: { kind: 'glm', family, remainder: 'expected', ...terms },
    arithmetic: 'exact',
  };
}

/** The fits after enough rounds between three sites, by what their coefficients depend on. */
const known = new Map<string, Fit>();

/** The pooled fit, with one more round for terms that only concern its errors. */
function pooled(answer: Answer, terms: Partial<GlmFusion> = {}): Fit {
  const { ridge } = terms;
  const plain = studyOf(answer, ridge === undefined ? {} : { ridge });
  const key = JSON.stringify([plain.formula, plain.weights, plain.fusion]);
  const fit = known.get(key) ?? rounds(plain, table, sites, 7).at(-1)!;
  known.set(key, fit);
  if (terms.errors === undefined) return fit;
  const next = refine(studyOf(answer, terms), coefficientsOf(fit));
  return solved(oneRound(next, table, sites));
}

function reportOf(fit: Fit): Report {
  return createReport(fit, { formula: '', sites: [], digest: '' });
}

function expectTerms(report: Report, answer: Answer, errors: readonly number[]): void {
  expect(report.terms!.map(({ term }) => term)).toEqual(answer.terms);
  report.terms!.forEach((row, k) => {
    expectRelative(row.estimate, answer.estimate[k], TOLERANCE, row.term);
    expectRelative(row['std.error']!, errors[k], TOLERANCE, `error of ${row.term}`);
  });
}

describe('three sites give R’s glm', () => {
  it.each([...vectors.fits, ...vectors.offsets])('$family $formula, weights $weights', (answer) => {
    const report = reportOf(pooled(answer));
    expectTerms(report, answer, answer.std_error);
    const glance = report.glance!;
    expect([glance.nobs, glance['df.residual']]).toEqual([answer.nobs, answer.df_residual]);
    expectRelative(glance.deviance!, answer.deviance, TOLERANCE, 'deviance');
    // Beside an offset and an intercept it is that of a model with rounds of its own: suffice fit below.
    if (answer.formula.includes('offset') && !answer.formula.includes('- 1')) {
      expect(glance).not.toHaveProperty('null.deviance');
    } else {
      expectRelative(glance['null.deviance']!, answer.null_deviance, TOLERANCE, 'null deviance');
    }
    expectRelative(glance.logLik!, answer.logLik, TOLERANCE, 'log-likelihood');
    expectRelative(glance.AIC!, answer.AIC, TOLERANCE, 'AIC');
    expectRelative(glance.BIC!, answer.BIC, TOLERANCE, 'BIC');
  });
});

describe('robust errors are those of R’s sandwich', () => {
  const robust = [...vectors.fits, ...vectors.offsets].filter(({ HC1 }) => HC1 !== undefined);
  const kinds = ['HC0', 'HC1', 'clustered'] as const;
  const all = robust.flatMap((answer) => kinds.map((errors) => ({ ...answer, errors })));
  it.each(enduring ? all : all.filter((_, k) => k % 4 === 0))(
    '$errors of $family $formula, weights $weights',
    (answer) => {
      const report = reportOf(pooled(answer, { errors: answer.errors }));
      expectTerms(report, answer, answer[answer.errors]!);
      const normal = answer.errors !== 'clustered';
      expect([report.errors, report.freedom]).toEqual([answer.errors, normal ? 'normal' : 2]);
    },
  );

  it('are not claimed in the first round, whose sites have no coefficients in common', () => {
    const [answer] = robust;
    const report = reportOf(solved(oneRound(studyOf(answer, { errors: 'HC1' }), table, sites)));
    expect(report.errors).toBe('widened');
    expect(report.deviation!.advice).toContain('HC1');
  });
});

describe('a ridge is that of a penalised likelihood', () => {
  it.each(vectors.ridges)('$ridge on $family $formula, weights $weights', (answer) => {
    const report = reportOf(pooled(answer, { ridge: answer.ridge! }));
    expectTerms(report, answer, answer.std_error);
    expectRelative(report.glance!.deviance!, answer.deviance, TOLERANCE, 'deviance');
    expect(report.errors).toBe('ignoring-bias');
    expect(report.terms![1]).not.toHaveProperty('p.value');
    expect(report.glance).not.toHaveProperty('AIC');
    const { edf, ...ridge } = report.ridge!;
    expect(ridge).toEqual({ value: answer.ridge, rule: 'given' });
    expect(edf).toBeLessThan(answer.terms.length);
    expect(reportText(report)).toMatch(/^logLik: -[\d.]+$/m);
  });
});

const folder = temporaryFolder();
const names = Object.keys(columns);
const paths = sites.map((rows, k) => {
  const path = join(folder, `${'abc'[k]}.csv`);
  const lines = rows.map((r) => names.map((name) => columns[name][r]).join(','));
  writeFileSync(path, `${[names.join(','), ...lines].join('\n')}\n`);
  return path;
});

async function fitted(formula: string, ...flags: readonly string[]) {
  return suffice('fit', formula, ...paths, ...flags);
}

describe('suffice fit --drop is R’s likelihood-ratio test', () => {
  const dropping = vectors.fits.filter(({ drop }) => drop !== undefined);
  it.each(chosen([...dropping, ...vectors.offsets], 0, 2, 6, 7))(
    '$family $formula, weights $weights',
    async (answer) => {
      const { formula, family, weights, drop = [] } = answer;
      const { stdout, stderr } = await fitted(
        formula,
        ...['--family', family, '--json', ...drop.flatMap(({ term }) => ['--drop', term])],
        ...(weights === undefined ? [] : ['--weights', weights]),
      );
      expect(stderr).toBe('');
      const report = JSON.parse(stdout);
      expectTerms(report, answer, answer.std_error);
      const nothing = report.glance['null.deviance'];
      expectRelative(nothing, answer.null_deviance, TOLERANCE, 'null deviance');
      const tests = (report.answers ?? []) as readonly Comparison[];
      expect(tests.map(({ without, test, df }) => ({ without, test, df }))).toEqual(
        drop.map(({ term, df }) => ({ without: [term], test: 'likelihood ratio', df })),
      );
      tests.forEach((found, k) => {
        const { term, statistic, p, deviance, AIC } = drop[k];
        expectRelative(found.statistic, statistic, TOLERANCE, `statistic of ${term}`);
        expectRelative(found['p.value'], p, TOLERANCE, `p-value of ${term}`);
        expectRelative(found.reduced.deviance!, deviance, TOLERANCE, `deviance without ${term}`);
        expectRelative(found.reduced.AIC!, AIC, TOLERANCE, `AIC without ${term}`);
      });
    },
  );
});

describe('predictions have the offset', () => {
  it.each(chosen(vectors.offsets, 0, 2))('$family $formula', async (answer) => {
    const { formula, family, weights } = answer;
    const model = join(folder, 'offset.model.json');
    const flags = weights === undefined ? [] : ['--weights', weights];
    await fitted(formula, '--family', family, '--save-model', model, ...flags);
    const { stdout } = await suffice('predict', model, paths[0]);
    const [header, ...lines] = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    answer.fitted.forEach((mean, r) => {
      expectRelative(Number(lines[r][header.indexOf('.fitted')]), mean, TOLERANCE, `row ${r + 1}`);
    });
  });
});

describe('what a site sends in a weighted study with robust errors', () => {
  const answer = vectors.fits.find(
    ({ weights, family }) => weights === 'v' && family === 'poisson',
  )!;
  const at = Object.fromEntries(answer.terms.map((term, k) => [term, answer.estimate[k]]));
  const study = { ...studyOf(answer, { at, errors: 'HC1' }), disclosure: { profile: 'none' } };

  async function contributed(terms: unknown, path: string, place: string, ...more: string[]) {
    const file = join(folder, `${place}.json`);
    writeFileSync(file, JSON.stringify(terms));
    const out = join(folder, `${place}.suffice`);
    const home = join(folder, `home-${place}`);
    const flags = ['--out', out, '--home', home, '--json', ...more];
    return { file, out, ...(await suffice('contribute', file, path, ...flags)) };
  }

  const open = '--acknowledge=none';
  it('adds up to R’s model', async () => {
    const sent = [];
    for (const [k, path] of paths.entries())
      sent.push(await contributed(study, path, `s${k}`, open));
    expect(sent.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(['', '', '']);
    const files = sent.map(({ out }) => out);
    const { stdout } = await suffice('combine', sent[0].file, ...files, '--json', '--drop', 'g');
    const report = JSON.parse(stdout);
    expectTerms(report, answer, answer.HC1!);
    expectRelative(report.glance.AIC, answer.AIC, TOLERANCE, 'AIC');
    expect(report.answers[0]).toMatchObject({
      about: 'comparison',
      test: 'Wald chi-square',
      df: 2,
    });
    expect(report.answers[0].reduced).not.toHaveProperty('deviance');
    const smaller = await suffice('combine', sent[0].file, ...files, '--json', '--without', 'g');
    expect(JSON.parse(smaller.stdout).terms).toHaveLength(3);
    expect(JSON.parse(smaller.stdout).glance).not.toHaveProperty('logLik');
  });

  it('answers without a term in one round, and claims no likelihood', async () => {
    const { at: _, ...fusion } = study.fusion as GlmFusion;
    const { file, out } = await contributed({ ...study, fusion }, paths[0], 'first', open);
    const { code, stdout } = await suffice('combine', file, out, '--json', '--without', 'g');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).terms).toHaveLength(3);
    expect(JSON.parse(stdout).glance).not.toHaveProperty('logLik');
  });

  it('is refused where one row has most of the squared scores of a level', async () => {
    const lines = Array.from({ length: 120 }, (_, r) => {
      return `${(r * 37) % 23},${'abc'[r % 3]},${r === 7 ? 60 : 2 + ((r * 7) % 3)}`;
    });
    const path = join(folder, 'outlier.csv');
    writeFileSync(path, `${['x,g,n', ...lines].join('\n')}\n`);
    const codebook = {
      x: { type: 'number', range: [0, 25] },
      g: { type: 'category', levels: ['a', 'b', 'c'] },
      n: { type: 'number', range: [0, 60] },
    };
    const start = { '(Intercept)': Math.log(3), x: 0, gb: 0, gc: 0 };
    const fusion = { kind: 'glm', family: 'poisson', remainder: 'expected', at: start };
    const base = { schema: 'suffice/study@1', formula: 'n ~ x + g', codebook, arithmetic: 'exact' };
    const rulesOf = async (terms: object, place: string) => {
      const { stdout } = await contributed(
        { ...base, fusion: { ...fusion, ...terms } },
        path,
        place,
      );
      const { rules } = JSON.parse(stdout).audit as Audit;
      return rules.filter(({ outcome }) => outcome === 'block').map(({ rule }) => rule);
    };
    expect(await rulesOf({}, 'plain')).not.toContain('R3');
    expect(await rulesOf({ errors: 'HC1' }, 'robust')).toContain('R3');
    expect(existsSync(join(folder, 'robust.suffice'))).toBe(false);
  });
});

describe('corners', () => {
  it('a constant offset moves the intercept, and nothing else', async () => {
    const moved = await fitted(
      'count ~ x + h + offset(I(0 * t + 2))',
      '--family',
      'poisson',
      '--json',
    );
    const plain = await fitted('count ~ x + h', '--family', 'poisson', '--json');
    const [a, b] = [moved, plain].map(({ stdout }) => JSON.parse(stdout) as Report);
    expect(a.terms![0].estimate).toBeCloseTo(b.terms![0].estimate - 2, 12);
    expect(a.terms![1].estimate).toBeCloseTo(b.terms![1].estimate, 12);
    expectRelative(
      a.glance!['null.deviance']!,
      b.glance!['null.deviance']!,
      1e-10,
      'null deviance',
    );
  });

  it('rows of weight 0 are not rows; without any others there is no model', async () => {
    const path = join(folder, 'zeros.csv');
    const lines = Array.from({ length: 40 }, (_, r) => `${r % 7},${r % 2},0`);
    writeFileSync(path, `${['x,y,k', ...lines].join('\n')}\n`);
    const flags = ['--family', 'binomial', '--weights', 'k', '--json'];
    const [with0, without0] = [
      await suffice('fit', 'y ~ x', ...paths, path, ...flags),
      await fitted('y ~ x', ...flags),
    ].map(({ stdout }) => JSON.parse(stdout) as Report);
    expectRelative(with0.glance!.AIC!, without0.glance!.AIC!, 1e-10, 'AIC');
    expect(with0.n).toBe(without0.n);
    const none = await suffice('fit', 'y ~ x', path, ...flags);
    expect(none.code).toBe(3);
    expect(none.stderr).toMatch(/weights must not be negative and not all zero|no rows are left/);
  });

  it('a ridge keeps separated rows finite', async () => {
    const path = join(folder, 'split.csv');
    const lines = Array.from({ length: 30 }, (_, k) => `${k},${Number(k > 14)}`);
    writeFileSync(path, `${['x,y', ...lines].join('\n')}\n`);
    const ridge = ['--family', 'binomial', '--ridge', '1', '--json'];
    const { code, stdout } = await suffice('fit', 'y ~ x', path, ...ridge);
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as Report;
    expect([report.separated, report.deviation!.converged]).toEqual([undefined, true]);
  });

  it.each([
    ['y ~ x', ['--family', 'binomial', '--se', 'HC3'], 'needs the leverage of every row'],
    ['y ~ x', ['--se', 'HC1'], 'needs the squared residual of every row'],
    ['y ~ x', ['--family', 'binomial', '--ridge', 'gcv'], 'would need rounds of its own'],
    ['y ~ x', ['--family', 'binomial', '--ridge', '1', '--standardize'], 'have no SD of a column'],
    ['y ~ x', ['--family', 'binomial', '--ridge', '1', '--se', 'HC0'], 'ignore the bias'],
    ['y ~ x', ['--se', 'robust'], '--se must be classical, clustered, HC0 or HC1: robust'],
    [
      'share ~ x',
      ['--family', 'binomial'],
      'or give shares of successes, with the number of trials',
    ],
    ['t ~ x', ['--family', 'binomial', '--weights', 'k'], 'must lie between 0 and 1'],
  ])('%s %j is refused by name', async (formula, flags, reason) => {
    const { code, stderr, stdout } = await fitted(formula, ...flags);
    expect([code, stdout]).toEqual([formula === 'y ~ x' ? 2 : 3, '']);
    expect(stderr).toContain(reason);
  });
});
