import { readFileSync } from 'node:fs';
import type { QueryInput } from '../src/analysis/query-input.ts';
import type { Failure } from '../src/failure.ts';
import type { TableStudy } from '../src/study/study.ts';
import type { VectorTable } from './fitted.ts';
import { agreement, contribution } from './linear.ts';
import { fitted } from './resolved-fit.ts';
import { everyRow, studyOf, summaryOf, type Table, tableOf } from './tables.ts';

/** What a study of a table dealt to some sites has to answer from. */
export function evidenceOf(
  table: Table,
  formula: string,
  choices: Partial<Pick<TableStudy, 'arithmetic' | 'grid' | 'weights' | 'fusion'>> = {},
  sites = 3,
): QueryInput {
  const study = studyOf(table, formula, choices);
  const agreed = agreement(study);
  const dealt = Array.from({ length: sites }, (_, k) =>
    everyRow(table).filter((r) => r % sites === k),
  );
  const { total, fit, parts } = fitted(
    agreed,
    dealt.map((rows, k) => contribution(agreed, `site-${k}`, summaryOf(agreed, table, rows))),
  );
  if ('problem' in fit) throw new Error(fit.problem);
  return { study, design: agreed.design, total, fit, response: 0, sites: parts };
}

/** A table as the scripts in vectors/ write it, with its texts as categories of these levels. */
export function vectorTable(
  table: VectorTable,
  levels: Readonly<Record<string, readonly string[]>> = {},
): Table {
  const columns = Object.entries(table).map(([name, cells]) => [
    name,
    cells.map((cell) =>
      typeof cell === 'string' ? levels[name].indexOf(cell) : (cell ?? Number.NaN),
    ),
  ]);
  return tableOf(Object.fromEntries(columns), levels);
}

export function vectorsOf<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./vectors/${name}`, import.meta.url), 'utf8'));
}

/** The answer; fails with the reason where there is none. */
export function answered<T extends object>(answer: T | Failure): T {
  if ('problem' in answer) throw new Error(`${answer.problem}: ${answer.remedy}`);
  return answer;
}

/** Why there is no answer. */
export function declined(answer: object): Failure {
  if ('problem' in answer && 'remedy' in answer) return answer as Failure;
  throw new Error('answered');
}

interface Line {
  readonly df_residual: number;
  readonly deviance: number;
  readonly r2: number;
  readonly adj_r2: number;
  readonly AIC: number;
  readonly BIC: number;
}

export interface AnovaVector {
  readonly term: string;
  readonly df: number;
  readonly sumsq: number;
  readonly statistic: number | null;
  readonly p: number | null;
  readonly logp?: number | null;
}

/** One model of vectors/analysis.R and what R says of it. */
export interface AnalysisCase {
  readonly formula: string;
  readonly weights?: string;
  readonly anova?: readonly AnovaVector[];
  readonly drop1?: readonly AnovaVector[];
  readonly comparison?: readonly {
    readonly without: readonly string[];
    readonly df: number;
    readonly statistic: number;
    readonly p: number;
    readonly full: Line;
    readonly reduced: Line;
  }[];
  readonly contrast?: readonly {
    readonly of: readonly string[];
    readonly rows: readonly {
      /** Lb − against. */
      readonly estimate: number;
      readonly variance: number;
      readonly F: number;
      readonly p: number;
    }[];
    readonly df: number;
    readonly df_residual: number;
    readonly statistic: number;
    readonly p: number;
  }[];
  readonly trend?: {
    readonly degree: readonly string[];
    readonly estimate: readonly number[];
    readonly se: readonly number[];
    readonly statistic: readonly number[];
    readonly p: readonly number[];
  };
  readonly prediction?: readonly {
    readonly at: Readonly<Record<string, number | string>>;
    readonly level: number;
    readonly fitted: number;
    readonly se: number;
    readonly conf: readonly [number, number];
    readonly pred: readonly [number, number];
  }[];
  readonly collinearity?: {
    readonly terms?: readonly {
      readonly term: string;
      readonly gvif: number;
      readonly df: number;
      readonly scaled: number;
    }[];
    readonly indices: {
      readonly eigenvalue: readonly number[];
      readonly index: readonly number[];
      readonly shares: readonly (readonly number[])[];
    };
  };
  readonly standardized?: Readonly<Record<'estimate' | 'se' | 'perSd', readonly number[]>> & {
    readonly term: readonly string[];
  };
  readonly partial?: readonly {
    readonly term: string;
    readonly partial: number;
    readonly part: number;
    readonly p: number;
  }[];
  readonly components?: {
    readonly columns: readonly string[];
    readonly sd: readonly number[];
    readonly proportion: readonly number[];
    readonly loadings: readonly (readonly number[])[];
  };
  readonly description?: {
    readonly mean: readonly number[];
    readonly sd: readonly number[];
    readonly correlations: readonly (readonly number[])[];
  };
  readonly covariance?: readonly (readonly number[])[];
}

/** What vectors/analysis.R wrote. */
export const analysis: {
  readonly table: VectorTable;
  readonly levels: Readonly<Record<string, readonly string[]>>;
  readonly cases: readonly AnalysisCase[];
  /** Six sites, rows dealt in turn, HC1. */
  readonly clustered: readonly {
    readonly formula: string;
    readonly weights?: string;
    readonly term: readonly string[];
    readonly df: readonly number[];
    readonly statistic: readonly number[];
    readonly p: readonly number[];
    /** At x1 = 61.5, x3 = 2.5, f4 = mid. */
    readonly fitted: number;
    readonly se: number;
  }[];
  readonly mtcars: {
    readonly table: VectorTable;
    readonly anova: readonly AnovaVector[];
    readonly gvif: readonly { readonly term: string; readonly gvif: number }[];
  };
  readonly poly: Readonly<Record<string, readonly (readonly number[])[]>>;
} = vectorsOf('analysis.json');

export const analysisTable: Table = vectorTable(analysis.table, analysis.levels);

const cache = new Map<string, QueryInput>();

/** The evidence of one of R's models, made once. */
export function evidenceOfCase({ formula, weights }: AnalysisCase): QueryInput {
  const key = `${formula} ${weights}`;
  const made =
    cache.get(key) ?? evidenceOf(analysisTable, formula, weights === undefined ? {} : { weights });
  cache.set(key, made);
  return made;
}

/** The models that R says this about, with a name for the test. */
export function casesWith(part: keyof AnalysisCase): [string, AnalysisCase][] {
  return analysis.cases
    .filter((one) => one[part] !== undefined)
    .map((one) => [`${one.formula}${one.weights === undefined ? '' : ', weighted'}`, one]);
}
