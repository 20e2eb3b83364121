import { defined } from '../../src/defined.ts';
import { modelStudy } from '../../src/model/model-study.ts';
import { type PredictRequest, predictRows } from '../../src/rows/predict.ts';
import { appendedLines, predictionLines } from '../../src/rows/prediction-lines.ts';
import { readerOf } from '../../src/rows/sources.ts';
import { SITE_COLUMN } from '../../src/study/codebook.ts';
import { imagesOf } from '../../src/study/image-study.ts';
import { significant } from '../../src/text/number-text.ts';
import { type Chosen, rowsIn } from '../tab/chosen-files.ts';
import { blobHost } from './blob-host.ts';
import { growingHistogram, type ValueSummary } from './growing-histogram.ts';
import type { LoadedModel } from './opened-model.ts';
import { type PredictedImages, predictedImages } from './predicted-images.ts';
import type { Call } from './worker-messages.ts';

/** Options for predicting the rows of a file. */
export interface FileChoices {
  readonly interval?: { readonly kind: 'confidence' | 'prediction'; readonly level: number };
  /** The site of all rows, if the model has site effects. */
  readonly site?: string;
}

/** Bytes and rows read so far. */
export interface PredictionProgress {
  readonly bytes: number;
  readonly rows: number;
}

/** The predictions of a file, without the rows. */
export interface FileSummary {
  readonly rows: number;
  readonly missing: number;
  /** Rows with a number outside the study's ranges, and the columns it is in. */
  readonly outside: { readonly rows: number; readonly columns: readonly string[] };
  readonly isText: boolean;
  /** Columns of the first rows: those the model read, then the predictions. */
  readonly columns: readonly string[];
  readonly read: number;
  readonly first: readonly (readonly string[])[];
  readonly values: readonly (ValueSummary & { readonly name: string })[];
  /** Where the rows are images: some of each predicted class, and what classes are taken for. */
  readonly images?: PredictedImages;
  readonly classes: readonly {
    readonly name: string;
    readonly counts: readonly { readonly level: string; readonly count: number }[];
  }[];
}

const SHOWN_ROWS = 10;

/** Predicts every row, and keeps only counts, histograms and the first rows. */
export async function summariseFile(
  call: Call<PredictionProgress>,
  model: LoadedModel,
  file: Chosen,
  choices: FileChoices,
): Promise<FileSummary> {
  const request = requestOf(model, file, choices);
  const data = imagesOf(model.study);
  const pictures = data && (await predictedImages(data, request, blobHost));
  const { codebook } = modelStudy(model.study, model.report);
  const fields = model.opened.fields.map(({ name }) => name).filter((n) => n !== SITE_COLUMN);
  const beside = pictures === undefined ? fields : pictures.columns;
  const first: string[][] = [];
  const values = new Map<string, ReturnType<typeof growingHistogram>>();
  const classes = new Map<string, Map<string, number>>();
  const predicted = await predictRows(
    request,
    blobHost,
    (predictions, names, levels, own) => {
      names.forEach((name, k) => {
        const kinds = levels[k];
        if (kinds !== undefined) {
          const counts = kept(classes, name, () => new Map(kinds.map((level) => [level, 0])));
          for (const place of predictions[k]) {
            if (!Number.isNaN(place)) counts.set(kinds[place], counts.get(kinds[place])! + 1);
          }
        } else if (name.startsWith('.fitted')) {
          kept(values, name, growingHistogram).add(predictions[k]);
        }
      });
      pictures?.add(predictions, levels, own);
      for (
        let r = 0;
        pictures === undefined && r < predictions[0].length && first.length < SHOWN_ROWS;
        r++
      ) {
        first.push([
          ...own.map((cells, k) => {
            const column = codebook[beside[k]];
            return shown(cells[r], column.type === 'category' ? column.levels : undefined, String);
          }),
          ...predictions.map((cells, k) => shown(cells[r], levels[k], rounded)),
        ]);
      }
    },
    { beside, progress: progressOf(call) },
  );
  return {
    rows: predicted.rows,
    missing: predicted.missing,
    outside: predicted.outside,
    isText: readerOf(blobHost, predicted.source).text !== undefined,
    columns: [...fields, ...predicted.names],
    read: fields.length,
    first,
    ...defined({ images: pictures?.finish() }),
    values: [...values].flatMap(([name, histogram]) => {
      const summary = histogram.finish();
      return summary === undefined ? [] : [{ name, ...summary }];
    }),
    classes: [...classes].map(([name, counts]) => ({
      name,
      counts: [...counts].map(([level, count]) => ({ level, count })),
    })),
  };
}

const PART_CHARACTERS = 2 ** 20;

/** The predictions as a CSV file, as `suffice predict` writes it. Finished parts become blobs, so memory stays small. */
export async function predictionBlob(
  call: Call<PredictionProgress>,
  model: LoadedModel,
  file: Chosen,
  choices: FileChoices & { readonly beside: 'nothing' | 'own columns' },
): Promise<Blob> {
  const parts: Blob[] = [];
  let held = '';
  const write = (line: string) => {
    held += `${line}\n`;
    if (held.length < PART_CHARACTERS) return;
    parts.push(new Blob([held]));
    held = '';
  };
  const lines = choices.beside === 'nothing' ? predictionLines : appendedLines;
  await lines(requestOf(model, file, choices), blobHost, write, progressOf(call));
  return new Blob([...parts, held], { type: 'text/csv' });
}

function requestOf(
  model: LoadedModel,
  file: Chosen,
  { interval, site }: FileChoices,
): PredictRequest {
  return {
    model,
    file: rowsIn(file),
    extrapolate: true,
    ...defined({ interval, site }),
  };
}

/** Reports progress at most every 50 ms, and stops the reading if the call was cancelled. */
function progressOf(call: Call<PredictionProgress>): (bytes: number, rows: number) => void {
  let reported = 0;
  return (bytes, rows) => {
    call.signal.throwIfAborted();
    const now = Date.now();
    if (now - reported < 50) return;
    reported = now;
    call.update({ bytes, rows });
  };
}

const rounded = (value: number) => significant(value, 6);

function kept<V>(map: Map<string, V>, name: string, make: () => V): V {
  const found = map.get(name);
  if (found !== undefined) return found;
  const made = make();
  map.set(name, made);
  return made;
}

function shown(
  value: number,
  levels: readonly string[] | undefined,
  text: (value: number) => string,
): string {
  if (Number.isNaN(value)) return 'NA';
  return levels === undefined ? text(value) : levels[value];
}
