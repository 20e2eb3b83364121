import { closeSync, openSync, writeSync } from 'node:fs';
import type { Study } from '../study/study.ts';
import { DataError } from '../table/data-error.ts';
import { csvRecords } from './csv-records.ts';
import { type Predicted, type PredictRequest, predictRows } from './predict.ts';

/** Where a cell of a row is missing, so is its prediction; an empty line would be lost by most readers. */
const NOTHING = 'NA';
const FLUSH_CHARACTERS = 2 ** 16;

/** Writes the predictions for a file as CSV, one line a row, in its order. */
export async function writePredictions(request: PredictRequest, path: string): Promise<Predicted> {
  const lines = lineWriter(path);
  try {
    let named = false;
    const head = (names: readonly string[]) => {
      if (!named) lines.write(names.map((name) => quoted(name, ',')).join(','));
      named = true;
    };
    const predicted = await predictRows(request, (predictions, names, levels) => {
      head(names);
      for (let r = 0; r < predictions[0].length; r++) {
        const cells = predictions.map((values, k) => cellText(values[r], levels[k], '.', ','));
        lines.write(cells.join(','));
      }
    });
    head(predicted.names);
    return predicted;
  } finally {
    lines.close();
  }
}

/** Writes a CSV file again with the predictions behind its own columns, as the file spells them. */
export async function appendPredictions(request: PredictRequest, path: string): Promise<Predicted> {
  const blocks: (readonly Float64Array[])[] = [];
  const predicted = await predictRows(request, (predictions) => blocks.push(predictions));
  const { file, names, levels, rows } = predicted;
  if (file.format.kind !== 'csv') {
    throw new DataError(
      'only a CSV file can be written again with predictions',
      { file: file.path },
      'leave out --append: the predictions come in the order of the rows',
    );
  }
  const { delimiter } = file.format.dialect;
  const mark = delimiter === ',' ? '.' : decimalMark(request.model.study);
  const lines = lineWriter(path);
  try {
    lines.write([...file.header, ...names].map((name) => quoted(name, delimiter)).join(delimiter));
    const records = csvRecords(file.path, file.format);
    let written = 0;
    for (const block of blocks) {
      for (let r = 0; r < block[0].length; r++) {
        const { value: record } = records.next();
        if (record === undefined) break;
        const cells = block.map((values, k) => cellText(values[r], levels[k], mark, delimiter));
        lines.write([record, ...cells].join(delimiter));
        written++;
      }
    }
    if (written !== rows || records.next().done !== true) {
      throw new DataError(
        'quotes in other columns hide where its records end',
        { file: file.path },
        'leave out --append: the predictions come in the order of the rows',
      );
    }
    return predicted;
  } finally {
    lines.close();
  }
}

function decimalMark({ codebook }: Study): '.' | ',' {
  const marks = Object.values(codebook).map((column) => 'decimal' in column && column.decimal);
  return marks.includes(',') ? ',' : '.';
}

function cellText(
  value: number,
  levels: readonly string[] | undefined,
  mark: '.' | ',',
  delimiter: string,
): string {
  if (Number.isNaN(value)) return NOTHING;
  if (levels !== undefined) return quoted(levels[value], delimiter);
  return mark === '.' ? String(value) : String(value).replace('.', ',');
}

function quoted(name: string, delimiter: string): string {
  const plain = !name.includes(delimiter) && !/["\r\n]/.test(name);
  return plain ? name : `"${name.replaceAll('"', '""')}"`;
}

function lineWriter(path: string): { write(line: string): void; close(): void } {
  const descriptor = openSync(path, 'w', 0o600);
  let held = '';
  const flush = () => {
    writeSync(descriptor, held);
    held = '';
  };
  return {
    write(line) {
      held += `${line}\n`;
      if (held.length >= FLUSH_CHARACTERS) flush();
    },
    close() {
      flush();
      closeSync(descriptor);
    },
  };
}
