import type { Row } from '../../src/analysis/right-side.ts';
import { withSiteTerm } from '../../src/model/site-term.ts';
import type { FormRequest } from './form-prediction.ts';
import type { NumberField } from './model-fields.ts';
import type { HeldModel } from './opened-model.ts';

/** What stands in each field. */
export type FormCells = Readonly<Record<string, string>>;

/** A form that was read: what is wrong with it, and its cells for the model. */
export interface ReadForm {
  readonly problems: Readonly<Record<string, string>>;
  readonly outside: readonly string[];
  /** As a block carries them: a number, or the place of a level in the codebook. */
  readonly codes: Readonly<Record<string, number>>;
  /** As a person says them. */
  readonly row: Row;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Reads each field as the codebook would have a file read. */
export function readForm(
  { study, report, opened }: HeldModel,
  { cells, extrapolate }: Pick<FormRequest, 'cells' | 'extrapolate'>,
): ReadForm {
  const { codebook } = withSiteTerm(study, report);
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
        text === '' ? 'A number is needed.' : 'This is no number: write it with a decimal point.';
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
