import type { Row } from '../../src/analysis/right-side.ts';
import { modelStudy } from '../../src/model/model-study.ts';
import type { NumberField } from './model-fields.ts';
import type { LoadedModel } from './opened-model.ts';

/** One row, as a person typed it. */
export interface FormRequest {
  /** The text of each field, by name. */
  readonly cells: Readonly<Record<string, string>>;
  readonly extrapolate: boolean;
  /** Confidence level of intervals, between 0 and 1. */
  readonly level: number;
}

/** A form after reading: its problems, and its values for the model. */
export interface ReadForm {
  readonly problems: Readonly<Record<string, string>>;
  readonly outside: readonly string[];
  /** Numbers as in a block of rows: a value, or the index of a level in the codebook. */
  readonly codes: Readonly<Record<string, number>>;
  /** The same row with the names of levels. */
  readonly row: Row;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Reads each field by the rules of the codebook, as a cell of a file is read. */
export function readForm(
  { study, report, opened }: LoadedModel,
  { cells, extrapolate }: Pick<FormRequest, 'cells' | 'extrapolate'>,
): ReadForm {
  const { codebook } = modelStudy(study, report);
  const problems: Record<string, string> = {};
  const outside: string[] = [];
  const codes: Record<string, number> = {};
  const row: Record<string, number | string> = {};
  for (const field of opened.fields) {
    const { name } = field;
    const text = (cells[name] ?? '').trim();
    const column = codebook[name];
    if (field.kind === 'category') {
      if (!field.levels.includes(text)) problems[name] = 'Choose one of the levels.';
      codes[name] = column.type === 'category' ? column.levels.indexOf(text) : Number(text);
      row[name] = column.type === 'category' ? text : Number(text);
      continue;
    }
    const value = NUMBER.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(value)) {
      problems[name] =
        text === ''
          ? 'A number is needed.'
          : 'This is not a number: write it with a decimal point.';
    } else if (isOutside(field, value)) {
      outside.push(name);
      if (!extrapolate) problems[name] = `Outside the study’s range, ${rangeText(field)}.`;
    }
    codes[name] = value;
    row[name] = value;
  }
  return { problems, outside, codes, row };
}

function isOutside({ range }: NumberField, value: number): boolean {
  return range !== undefined && !(value >= range[0] && value <= range[1]);
}

function rangeText({ range = [0, 0], unit }: NumberField): string {
  return `${range[0]} to ${range[1]}${unit === undefined ? '' : ` ${unit}`}`;
}
