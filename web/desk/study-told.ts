import type { Agreement } from '../../src/federate.ts';
import { offerableColumns } from '../../src/protocol/judge-offer.ts';
import { studyForecast } from '../../src/site/forecast-words.ts';
import { disclosureWords, sightText } from '../../src/site/story.ts';
import { type Column, defaultMissing } from '../../src/study/codebook.ts';
import { formulaColumns, parseFormula } from '../../src/study/formula.ts';
import { isTableStudy } from '../../src/study/study.ts';

/** A study in words, for whoever is asked to take part. */
export interface StudyTold {
  readonly name?: string;
  readonly digest: string;
  /** Absent where the study has none, and the method says what is asked. */
  readonly formula?: string;
  readonly method: string;
  readonly columns: readonly ColumnTold[];
  /** What a private study promises, and what its noise will do. */
  readonly promise?: { readonly words: string; readonly forecast: readonly string[] };
  readonly sight: string;
  readonly rules: readonly string[];
  /** Whether the disclosure rules are switched off, which is for public rows alone. */
  readonly unruled: boolean;
}

/** A column that the study needs of a file. */
export interface ColumnTold {
  readonly name: string;
  readonly role: 'explained' | 'explains' | 'weighs the row' | 'says whose row it is' | 'is read';
  readonly type: 'number' | 'one of' | 'any text';
  readonly unit?: string;
  readonly range?: readonly [number, number];
  readonly levels?: readonly string[];
  /** How a missing cell may be written. */
  readonly missing: readonly string[];
  readonly decimal?: '.' | ',';
}

export function toldStudy(agreed: Agreement, sites: number): StudyTold {
  const { study, digest, method } = agreed;
  const { noise, text } = method;
  return {
    ...(study.name === undefined ? {} : { name: study.name }),
    digest,
    ...(isTableStudy(study) ? { formula: study.formula } : {}),
    method: text.method,
    columns: toldColumns(agreed),
    ...(noise !== undefined
      ? {
          promise: {
            words: noise.promise.join(' '),
            forecast: (studyForecast(agreed, sites)?.remarks ?? []).map(({ text }) => text),
          },
        }
      : {}),
    sight: sightText(text).join(' '),
    rules: disclosureWords(agreed),
    unruled: noise === undefined && study.disclosure?.profile === 'none',
  };
}

function toldColumns(agreed: Agreement): ColumnTold[] {
  const { regression } = agreed.method;
  const responses =
    regression === undefined
      ? []
      : formulaColumns(parseFormula(regression.study.formula)).responses;
  return offerableColumns(agreed).map(({ name, column }) => ({
    name,
    role: roleOf(name, responses, agreed),
    ...shapeOf(column),
    missing: column.missing ?? defaultMissing,
  }));
}

function roleOf(
  name: string,
  responses: readonly string[],
  { method }: Agreement,
): ColumnTold['role'] {
  if (responses.includes(name)) return 'explained';
  if (name === method.regression?.study.weights) return 'weighs the row';
  if (name === method.noise?.terms.person) return 'says whose row it is';
  return method.regression === undefined ? 'is read' : 'explains';
}

function shapeOf(
  column: Column,
): Pick<ColumnTold, 'type' | 'unit' | 'range' | 'levels' | 'decimal'> {
  if (column.type === 'category') return { type: 'one of', levels: column.levels };
  if (column.type === 'id') return { type: 'any text' };
  const { unit, range, decimal } = column;
  return {
    type: 'number',
    ...(unit === undefined ? {} : { unit }),
    ...(range === undefined ? {} : { range }),
    ...(decimal === undefined ? {} : { decimal }),
  };
}
