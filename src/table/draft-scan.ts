import { parseDecimal } from '../numeric/decimal.ts';
import type { Kernels } from '../numeric/kernels.ts';
import type { Misfits } from './columns.ts';
import { cellText, trimBlanks } from './csv-cells.ts';
import { cellWas, type Field, type Fields, layFields } from './csv-fields.ts';
import { outOfRange, recordRefusal, unterminatedQuote, wrongEncoding } from './csv-refusals.ts';
import { type CsvRange, type CsvStream, csvStream } from './csv-stream.ts';
import type { Dialect } from './dialect.ts';
import { type ColumnDraft, type Draft, MOST_TEXTS, type Start } from './draft.ts';
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
  readonly decimal?: '.' | ',';
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
  const markers = new Set([...draftMissing, ...(options.missing ?? [])]);
  const at = options.at ?? 0;
  const surveys: (Survey | undefined)[] = [];
  const blockRows = 4096;
  const stream = csvStream({ ...options, dialect, blockRows }, (kernels) => {
    const out = kernels.allocate(blockRows * 8);
    const laid = header.map((name, index): Field | undefined => {
      if (!wanted.includes(name)) return undefined;
      const asText = options.texts?.has(name) ?? false;
      const survey = createSurvey(kernels, markers, asText, options.decimal ?? '.');
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
          const value = parseDecimal(trimBlanks(text), options.decimal);
          throw outOfRange(value!, undefined, place);
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
  decimal: '.' | ',',
): Survey {
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
  const isMissing = (text: string) => markers.has(asText ? text : trimBlanks(text));
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
      if ((how & cellWas.escaped) !== 0) {
        const before = escaped.get(text) ?? 0;
        escaped.set(text, before + 1);
        if (before > 0) return;
      } else {
        spellings.add(bytes.slice(), Number.NaN, 1);
        listed.push(text);
        attached!.fields.refresh(attached!.index);
      }
      if (isMissing(text)) return;
      firstRow ??= row;
      if (++distinct > MOST_TEXTS) attached!.fields.close(attached!.index);
    },
    result(start) {
      const [numbers, min, max, otherDecimals, leadingZeros] = kernels.f64(pointer, 5);
      const counts = new Map(escaped);
      spellings.counts().forEach((count, i) => {
        counts.set(listed[i]!, count);
      });
      const missing = new Map<string, number>();
      const texts = new Map<string, number>();
      for (const [text, count] of counts) (isMissing(text) ? missing : texts).set(text, count);
      attached!.fields.markerCounts(attached!.index).forEach((count, i) => {
        if (count > 0) missing.set(numberMarkers[i]!.text, count);
      });
      return {
        everyText: asText,
        numbers: numbers!,
        min: min!,
        max: max!,
        leadingZeros: leadingZeros!,
        otherDecimals: otherDecimals!,
        firstTexts: firstRow === undefined ? [] : [{ ...start, row: firstRow }],
        ...(distinct > MOST_TEXTS ? { missing: new Map(), texts: undefined } : { missing, texts }),
      };
    },
  };
}
