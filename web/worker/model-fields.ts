import type { Answered } from '../../src/analysis/question.ts';
import { defined } from '../../src/defined.ts';
import { answerAbout } from '../../src/export/exported-model.ts';
import { predictionPlan } from '../../src/export/prediction-plan.ts';
import { columnInterval, withAllowedRange } from '../../src/features/reference.ts';
import { modelStudy } from '../../src/model/model-study.ts';
import type { Report } from '../../src/model/report.ts';
import type { NumberColumn } from '../../src/study/codebook.ts';
import type { TableStudy } from '../../src/study/study.ts';
import { significant } from '../../src/text/number-text.ts';

/** A column that the model needs from each row. */
export type ModelField = NumberField | CategoryField;

export interface NumberField {
  readonly kind: 'number';
  readonly name: string;
  readonly unit?: string;
  /** Allowed values in the study. */
  readonly range?: readonly [number, number];
  /** The first value in the form, and where it comes from. */
  readonly start: string;
  readonly startsAt: 'mean' | 'middle';
}

export interface CategoryField {
  readonly kind: 'category';
  readonly name: string;
  /** The baseline first. */
  readonly levels: readonly string[];
}

/** The fields of the form, in the order of the formula. */
export function modelFields(
  asked: TableStudy,
  report: Report,
  answers: readonly Answered[],
): readonly ModelField[] {
  const { codebook } = modelStudy(asked, report);
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
    ...defined({ unit: column.unit, range }),
    start: String(Number(significant(mean ?? middle, 4))),
    startsAt: mean === undefined ? 'middle' : 'mean',
  };
}
