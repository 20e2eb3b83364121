import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../src/analysis/comparison.ts';
import type { Fit } from '../src/model/fit.ts';
import { createReport, type Report } from '../src/model/report.ts';
import type { GlmFusion, TableStudy } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import type { VectorTable } from './fitted.ts';
import { dealt, oneRound, rounds, solved, vectorTable } from './glm-rounds.ts';
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

/** The fit after enough rounds between three sites. */
function pooled(answer: Answer, terms: Partial<GlmFusion> = {}): Fit {
  return rounds(studyOf(answer, terms), table, sites, 9).at(-1)!;
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
  const known = [...vectors.fits, ...vectors.offsets].filter(({ HC1 }) => HC1 !== undefined);
  const kinds = ['HC0', 'HC1', 'clustered'] as const;
  it.each(known.flatMap((answer) => kinds.map((errors) => ({ ...answer, errors }))))(
    '$errors of $family $formula, weights $weights',
    (answer) => {
      const report = reportOf(pooled(answer, { errors: answer.errors }));
      expectTerms(report, answer, answer[answer.errors]!);
      const normal = answer.errors !== 'clustered';
      expect([report.errors, report.freedom]).toEqual([answer.errors, normal ? 'normal' : 2]);
    },
  );

  it('are not claimed in the first round, whose sites have no coefficients in common', () => {
    const [answer] = known;
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
    expect(report.ridge).toMatchObject({ value: answer.ridge, rule: 'given' });
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
  it.each([...dropping, ...vectors.offsets])(
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
