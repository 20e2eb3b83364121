import { DataError } from '../data-error.ts';
import type { TableStudy } from '../study/study.ts';
import { tableStudy } from '../study/table-study.ts';
import { csvQuoted, csvText } from '../text/csv-text.ts';
import type { Host } from './host.ts';
import { type Predicted, type PredictRequest, predictRows } from './predict.ts';
import type { JobProgress } from './source.ts';
import { readerOf } from './sources.ts';

/** Receives a line of text, without its line end. */
export type WriteLine = (line: string) => void;

/** The prediction of a row with a missing cell; most readers would skip an empty line. */
const NOTHING = 'NA';

/** The predictions for a file as lines of CSV, one per row, in its order. */
export async function predictionLines(
  request: PredictRequest,
  host: Host,
  write: WriteLine,
  progress?: JobProgress,
): Promise<Predicted> {
  let named = false;
  const head = (names: readonly string[]) => {
    if (!named) write(names.map((name) => csvText(name)).join(','));
    named = true;
  };
  const predicted = await predictRows(
    request,
    host,
    (predictions, names, levels) => {
      head(names);
      for (let r = 0; r < predictions[0].length; r++) {
        const cells = predictions.map((values, k) => cellText(values[r], levels[k], '.', ','));
        write(cells.join(','));
      }
    },
    progress && { progress },
  );
  head(predicted.names);
  return predicted;
}

/** The lines of a CSV file with the predictions appended, in the file's own notation. */
export async function appendedLines(
  request: PredictRequest,
  host: Host,
  write: WriteLine,
  progress?: JobProgress,
): Promise<Predicted> {
  const blocks: (readonly Float64Array[])[] = [];
  const predicted = await predictRows(
    request,
    host,
    (predictions) => blocks.push(predictions),
    progress && { progress },
  );
  const { source, names, levels, rows } = predicted;
  const text = readerOf(host, source).text?.(host, source);
  if (text === undefined) {
    throw new DataError(
      'only a CSV file can be written again with predictions',
      { file: source.name },
      ALONE,
      NOT_APPENDED,
    );
  }
  const { delimiter } = text;
  const mark =
    delimiter === ',' ? '.' : (text.decimal ?? decimalMark(tableStudy(request.model.study)));
  const own = source.header.map((name) => csvQuoted(name, delimiter));
  write([...own, ...names.map((name) => csvText(name, delimiter))].join(delimiter));
  let block = 0;
  let r = 0;
  let written = 0;
  for await (const records of text.records) {
    for (const record of records) {
      while (block < blocks.length && r >= blocks[block][0].length) {
        block++;
        r = 0;
      }
      written++;
      if (block === blocks.length) continue;
      const cells = blocks[block].map((values, k) =>
        cellText(values[r], levels[k], mark, delimiter),
      );
      write([record, ...cells].join(delimiter));
      r++;
    }
  }
  if (written !== rows) {
    throw new DataError(
      'quotes in other columns make the end of its records unclear',
      { file: source.name },
      ALONE,
      NOT_APPENDED,
    );
  }
  return predicted;
}

const ALONE = 'ask for the predictions alone, which come in the order of the rows';
const NOT_APPENDED = { name: 'append', off: true } as const;

function decimalMark({ codebook }: TableStudy): '.' | ',' {
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
  if (levels !== undefined) return csvText(levels[value], delimiter);
  return mark === '.' ? String(value) : String(value).replace('.', ',');
}
