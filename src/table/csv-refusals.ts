import { DataError } from '../data-error.ts';
import type { Failure, Place } from '../failure.ts';
import { LARGEST_MAGNITUDE, recordIs } from './csv-fields.ts';
import { DAYS } from './written-date.ts';
import type { Doubt } from './written-number.ts';

/** A malformed record. */
export function recordRefusal(
  why: number,
  found: number,
  width: number,
  name: string | undefined,
  place: Place,
): DataError {
  const at = name === undefined ? place : { ...place, column: name };
  switch (why) {
    case recordIs.ragged:
      return new DataError(
        `found ${found} ${found === 1 ? 'field' : 'fields'}, the header has ${width}`,
        place,
        found > width
          ? 'Quote cells that hold the delimiter, write numbers without thousands separators, and check the delimiter.'
          : 'Write every column in every row, empty where there is no value, and check the delimiter.',
      );
    case recordIs.strayQuote:
      return new DataError(
        'a quote inside a cell that does not start with one',
        at,
        'Quote the whole cell and write the quote inside it twice.',
      );
    case recordIs.textAfterQuote:
      return new DataError(
        'text after the closing quote of a cell',
        at,
        'End the cell at its closing quote; a quote that belongs to the text is written twice.',
      );
    default:
      return new DataError(
        'the record is longer than 16 MiB',
        place,
        'Check the line ends, and look for a quote that is never closed.',
      );
  }
}

/** The file ended inside quotes. */
export function unterminatedQuote(place: Place): DataError {
  return new DataError(
    'the file ends inside a quoted cell',
    place,
    'Close the quote, or check whether the file was cut off.',
  );
}

/** A text that is not valid UTF-8. */
export function wrongEncoding(place: Place): DataError {
  return new DataError(
    'the cell is not valid UTF-8 text',
    place,
    'Save the file as UTF-8, or say that its encoding is utf-16le or, more often, latin1.',
    { name: 'encoding', value: 'latin1' },
  );
}

/** A number outside the codebook's `range`, or too large for the arithmetic. */
export function outOfRange(
  value: number,
  range: readonly [number, number] | undefined,
  place: Place,
): DataError {
  if (!(Math.abs(value) <= LARGEST_MAGNITUDE)) {
    const problem = `the number is larger than ${LARGEST_MAGNITUDE} in magnitude`;
    return new DataError(problem, place, 'Rescale the unit of the column.');
  }
  return new DataError(
    `the number is outside the range [${range?.join(', ')}] of the codebook`,
    place,
    'Check the unit of the column, correct the value, or list a code for "missing" as a missing marker.',
    { name: 'missing-marker' },
  );
}

/** What is in doubt, after "cells that", and the remedy. */
export const doubtTexts: { readonly [doubt in Doubt]: Omit<Shape, 'shape'> } = {
  'either mark': {
    is: 'look like 1,234, which is 1234 or 1.234',
    remedy: 'Say what the decimal mark of the file is: a point makes it 1234, a comma 1.234.',
    option: { name: 'decimal' },
  },
  'other mark': {
    is: 'have another decimal mark than the rest of the column or the file',
    remedy:
      'Write one decimal mark in the whole column, say what the decimal mark of the file is, or write factor() around the column if it is a category.',
    option: { name: 'decimal' },
  },
  'either order': {
    is: 'look like 03/04/2024, which is in April or in March',
    remedy: 'Write dates as 2024-04-03.',
  },
  'other order': {
    is: 'have day and month in another order than the rest of the column',
    remedy: 'Write dates as 2024-04-03.',
  },
  'short year': {
    is: 'look like a date whose year has two digits',
    remedy: 'Write dates as 2024-04-03, with four digits for the year.',
  },
};

/** A cell of a number column that can be read in two ways, or not as the column is written. */
export function inDoubt(doubt: Doubt, place: Place): DataError {
  const { is, remedy, option } = doubtTexts[doubt];
  return new DataError(`a cell of those that ${is}`, place, remedy, option);
}

interface Shape extends Omit<Failure, 'problem'> {
  readonly shape: RegExp;
  readonly is: string;
}

const SHAPES: readonly Shape[] = [
  {
    shape: /^[+-]?\d{1,3}([,.' \u00a0\u202f])\d{3}(\1\d{3})*([.,]\d+)?$/,
    is: ' that looks like a number with thousands separators',
    remedy:
      'Remove the thousands separators; if the sign is the decimal mark, declare it as the codebook\'s "decimal".',
    option: { name: 'decimal' },
  },
  {
    shape: /^[+-]?\d*,\d+([eE][+-]?\d+)?$/,
    is: ' that looks like a number with a decimal comma',
    remedy: 'Declare "decimal": "," for this column in the codebook.',
    option: { name: 'decimal', value: ',' },
  },
  {
    shape: /^[+-]?\d*\.\d+([eE][+-]?\d+)?$/,
    is: ' that looks like a number with a decimal point, where the codebook has a decimal comma',
    remedy: 'Remove "decimal" for this column from the codebook, or write decimal commas.',
  },
  {
    shape: /^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ].*)?$/,
    is: ' that looks like a date',
    remedy: `State the unit "${DAYS}" in the codebook to read dates as numbers, or write a number such as an age.`,
  },
  {
    shape: /^([$€£¥]\s*[+-]?[\d.,]+|[+-]?[\d.,]+\s*([%$€£¥]|[\p{L}µ°][\p{L}\d/^²³°]*))$/u,
    is: ' that looks like a number with a unit',
    remedy: 'Write the number alone, or state this unit in the codebook.',
  },
  {
    shape: /^[+-]?(inf|infinity|nan)$/i,
    is: ' that names a value which is not finite',
    remedy: 'Remove the row, or list it as a missing marker in the codebook.',
    option: { name: 'missing-marker' },
  },
  {
    shape: /^[<>≤≥]/,
    is: ' that looks like a limit of detection',
    remedy: 'Agree on a number for such cells, or list it as a missing marker in the codebook.',
    option: { name: 'missing-marker' },
  },
];

const ANY_TEXT: Omit<Shape, 'shape'> = {
  is: '',
  remedy:
    'Write a plain number such as -0.75 or 3e-4, or list the text as a missing marker in the codebook.',
  option: { name: 'missing-marker' },
};

/** A cell of a number column that is neither a number nor a missing marker, described by its shape only. */
export function notANumber(text: string, place: Place): DataError {
  const trimmed = text.trim();
  if (trimmed === '') {
    return new DataError(
      'an empty cell, and "" is not among the missing markers of this column',
      place,
      'Fill the cell, or list "" as a missing marker in the codebook.',
      { name: 'missing-marker', value: '""' },
    );
  }
  const known = SHAPES.find(({ shape }) => shape.test(trimmed)) ?? ANY_TEXT;
  return new DataError(
    `not a number: ${describeText(trimmed)}${known.is}`,
    place,
    known.remedy,
    known.option,
  );
}

/** A cell of a category column that is neither a level nor a missing marker. */
export function unknownLevel(text: string, levels: readonly string[], place: Place): DataError {
  const count = `${levels.length} ${levels.length === 1 ? 'level' : 'levels'}`;
  const fold = (word: string) => word.normalize().trim().toLowerCase();
  const near = levels.some((level) => fold(level) === fold(text));
  return new DataError(
    `not one of the ${count} of the codebook: ${text === '' ? 'an empty cell' : describeText(text)}`,
    place,
    near
      ? 'It differs from a level only in case, in spaces around it or in Unicode form: write it as the codebook does.'
      : 'Correct the cell, or agree on a codebook that lists it as a level or a missing marker.',
    near ? undefined : { name: 'missing-marker' },
  );
}

function describeText(text: string): string {
  const length = [...text].length;
  return `text of ${length} ${length === 1 ? 'character' : 'characters'}`;
}
