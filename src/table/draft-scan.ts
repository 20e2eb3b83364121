import { defined } from '../defined.ts';
import { parseDecimal } from '../numeric/decimal.ts';
import type { Kernels } from '../numeric/kernels.ts';
import { trimBlanks } from './cell-text.ts';
import type { Misfits } from './columns.ts';
import { cellText } from './csv-cells.ts';
import { cellWas, type Field, type Fields, layFields } from './csv-fields.ts';
import { outOfRange, recordRefusal, unterminatedQuote, wrongEncoding } from './csv-refusals.ts';
import { type CsvRange, type CsvStream, csvStream } from './csv-stream.ts';
import type { Dialect } from './dialect.ts';
import { type ColumnDraft, type Draft, MOST_TEXTS, type Start } from './draft.ts';
import { isMissingWord } from './missing-words.ts';
import {
  type DecimalMark,
  type FileNotation,
  type Notation,
  notationOf,
  saidAlone,
} from './notation.ts';
import { oddNumbers, sortTexts, tooManyTexts } from './odd-numbers.ts';
import { createSpellings, type Spellings } from './spellings.ts';

/** Texts that count as missing in a draft; the codebook lists those that were found. */
export const draftMissing: readonly string[] = [
  '',
  'NA',
  'N/A',
  'NaN',
  'nan',
  'null',
  'NULL',
  '?',
  '.',
  '#N/A',
];

export interface DraftOptions extends CsvRange {
  /** File offset of the first byte given; identifies the range of a file. */
  readonly at?: number;
  /** Missing markers besides `draftMissing`. */
  readonly missing?: readonly string[];
  /** The decimal mark that a codebook states. */
  readonly decimal?: DecimalMark;
  /** How the file writes its numbers. */
  readonly notation?: FileNotation;
  /** Columns whose distinct texts are all wanted, numbers included. */
  readonly texts?: ReadonlySet<string>;
  /** `allow`: no cell refuses the file; `refuse` unless given. */
  readonly misfits?: Misfits;
  readonly fused?: boolean;
}

/** A running scan: push the bytes into `stream`; `draft` is complete after its `end`. */
export interface DraftScan {
  readonly stream: CsvStream;
  draft(): Draft;
}

/** Scans the wanted columns of a file, or of a range of it, without a codebook. */
export function draftScan(
  dialect: Dialect,
  header: readonly string[],
  wanted: readonly string[],
  file: string,
  options: DraftOptions = {},
): DraftScan {
  const markers = new Set([...draftMissing, ...(options.missing ?? [])].map(trimBlanks));
  const at = options.at ?? 0;
  const surveys: (Survey | undefined)[] = [];
  const blockRows = 4096;
  const stream = csvStream({ ...options, dialect, blockRows }, (kernels) => {
    const out = kernels.allocate(blockRows * 8);
    const laid = header.map((name, index): Field | undefined => {
      if (!wanted.includes(name)) return undefined;
      const asText = options.texts?.has(name) ?? false;
      const { decimal } = options;
      const shown = options.notation;
      const file = options.misfits === 'allow' ? shown && saidAlone(shown) : shown;
      const notation = file === undefined ? defined({ decimal }) : notationOf(file, name, decimal);
      const survey = createSurvey(kernels, markers, asText, notation);
      surveys[index] = survey;
      return { ...survey.field, out };
    });
    const fields = layFields(kernels, laid, dialect.delimiter.charCodeAt(0));
    for (const [index, survey] of surveys.entries()) survey?.attach(fields, index);
    return {
      fields,
      cell(index, row, bytes, how) {
        const place = { file, row, column: header[index]! };
        const text = cellText(bytes, how);
        if (text === undefined) {
          if (options.misfits === 'allow') return Number.NaN;
          throw wrongEncoding(place);
        }
        if ((how & cellWas.outOfRange) !== 0) {
          if (options.misfits === 'allow') return Number.NaN;
          throw outOfRange(Infinity, undefined, place);
        }
        surveys[index]!.meet(text, bytes, row, how);
        return Number.NaN;
      },
      refuse(why, field, row) {
        throw recordRefusal(why, field, header.length, header[field], { file, row });
      },
      refuseUnterminated(row) {
        throw unterminatedQuote({ file, row });
      },
      flush() {},
    };
  });
  return {
    stream,
    draft() {
      const start = { file, at: at + (stream.firstRecordAt ?? 0) };
      const columns = surveys.flatMap((survey, index) =>
        survey === undefined ? [] : [[header[index]!, survey.result(start)] as const],
      );
      return { segments: [{ ...start, rows: stream.rows }], columns: new Map(columns) };
    },
  };
}

interface Survey {
  readonly field: Omit<Field, 'out'>;
  attach(fields: Fields, index: number): void;
  /** Records a new text, or any text with escaped quotes. */
  meet(text: string, bytes: Uint8Array, row: number, how: number): void;
  result(start: Start): ColumnDraft;
}

function createSurvey(
  kernels: Kernels,
  markers: ReadonlySet<string>,
  asText: boolean,
  notation: Notation,
): Survey {
  const decimal = notation.decimal ?? '.';
  // Mirrors kernels/survey.as.ts.
  const pointer = kernels.allocate(64);
  kernels.f64(pointer, 8).set([0, Infinity, -Infinity, 0, 0, 0, Infinity, -Infinity]);
  const spellings: Spellings = createSpellings(kernels);
  const listed: string[] = [];
  const escaped = new Map<string, number>();
  const numberMarkers = asText
    ? []
    : [...markers].flatMap((text) => {
        const value = parseDecimal(trimBlanks(text), decimal);
        return value === undefined ? [] : [{ text, value }];
      });
  const odd = oddNumbers(notation);
  const isMissing = (text: string) => markers.has(trimBlanks(text));
  let distinct = 0;
  let firstRow: number | undefined;
  let attached: { fields: Fields; index: number } | undefined;

  return {
    field: {
      kind: asText ? 'text' : 'number',
      spellings,
      decimal,
      markers: numberMarkers.map(({ value }) => value),
      survey: pointer,
    },
    attach(fields, index) {
      attached = { fields, index };
    },
    meet(text, bytes, row, how) {
      // Such cells are met one by one: there may be many different ones.
      const found = asText || isMissing(text) ? 'text' : odd.take(trimBlanks(text), 1);
      if (found === 'number') return;
      if (found === 'doubt') {
        firstRow ??= row;
        return;
      }
      if ((how & cellWas.escaped) !== 0) {
        const before = escaped.get(text) ?? 0;
        escaped.set(text, before + 1);
        if (before > 0) return;
      } else {
        spellings.add(bytes.slice(), Number.NaN, 1);
        listed.push(text);
        attached!.fields.refresh(attached!.index);
      }
      if (isMissing(text) || (!asText && isMissingWord(trimBlanks(text)))) return;
      firstRow ??= row;
      if (++distinct > MOST_TEXTS) attached!.fields.close(attached!.index);
    },
    result(start) {
      const [numbers, min, max, otherDecimals, leadingZeros] = kernels.f64(pointer, 5);
      const counts = new Map(escaped);
      spellings.counts().forEach((count, i) => {
        counts.set(listed[i]!, count);
      });
      const sorted = sortTexts(counts, isMissing, asText);
      attached!.fields.markerCounts(attached!.index).forEach((count, i) => {
        if (count > 0) sorted.missing.set(numberMarkers[i]!.text, count);
      });
      return {
        everyText: asText,
        ...odd.result(start.file, { numbers: numbers!, min: min!, max: max! }),
        leadingZeros: leadingZeros!,
        otherDecimals: otherDecimals!,
        firstTexts: firstRow === undefined ? [] : [{ ...start, row: firstRow }],
        ...(distinct > MOST_TEXTS ? tooManyTexts : sorted),
      };
    },
  };
}
