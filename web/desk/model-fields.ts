import type { Answered } from '../../src/analysis/question.ts';
import { answerAbout } from '../../src/export/exported-model.ts';
import { predictionPlan } from '../../src/export/prediction-plan.ts';
import { columnInterval, withAllowedRange } from '../../src/features/reference.ts';
import { significant } from '../../src/model/number-text.ts';
import type { Report } from '../../src/model/report.ts';
import { withSiteTerm } from '../../src/model/site-term.ts';
import type { NumberColumn } from '../../src/study/codebook.ts';
import type { TableStudy } from '../../src/study/study.ts';

/** A column that a model must be told of a row. */
export type ModelField = NumberField | CategoryField;

export interface NumberField {
  readonly kind: 'number';
  readonly name: string;
  readonly unit?: string;
  /** What the study's sites may hold. */
  readonly range?: readonly [number, number];
  /** What stands there at first, and why that. */
  readonly start: string;
  readonly startsAt: 'mean' | 'middle';
}

export interface CategoryField {
  readonly kind: 'category';
  readonly name: string;
  /** The baseline first. */
  readonly levels: readonly string[];
}

/** What to ask for, in the order the formula speaks of it. */
export function modelFields(
  asked: TableStudy,
  report: Report,
  answers: readonly Answered[],
): readonly ModelField[] {
  const { codebook } = withSiteTerm(asked, report);
  const { inputs, categories } = predictionPlan({ study: asked, report });
  const described = answerAbout({ study: asked, report, answers }, 'description')?.columns ?? [];
  return inputs.map(({ name }): ModelField => {
    const column = codebook[name];
    const category = categories.find((one) => one.column === name);
    if (category !== undefined) {
      const first = 'baseline' in column ? column.baseline : undefined;
      return { kind: 'category', name, levels: baselineFirst(category.levels, first) };
    }
    const mean = described.find((one) => one.column === name)?.mean;
    return numberField(name, column as NumberColumn, mean);
  });
}

function baselineFirst(levels: readonly string[], baseline: string | undefined): readonly string[] {
  if (baseline === undefined) return levels;
  return [baseline, ...levels.filter((level) => level !== baseline)];
}

function numberField(name: string, column: NumberColumn, mean: number | undefined): NumberField {
  const { range } = withAllowedRange(column) as NumberColumn;
  const interval = columnInterval(column) ?? { low: 0, high: 0 };
  const middle = interval.low / 2 + interval.high / 2;
  return {
    kind: 'number',
    name,
    ...(column.unit === undefined ? {} : { unit: column.unit }),
    ...(range === undefined ? {} : { range }),
    start: String(Number(significant(mean ?? middle, 4))),
    startsAt: mean === undefined ? 'middle' : 'mean',
  };
}
