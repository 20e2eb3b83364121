import { createReadStream, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { defined } from '../defined.ts';
import type { ModelFile } from '../node/files/model-file.ts';
import type { Predicted, PredictRequest } from '../rows/predict.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { withDatabase } from './database-flags.ts';
import { type Io, pathIn } from './io.ts';

interface PredictFlags {
  readonly out?: string;
  readonly append?: boolean;
  readonly classes?: boolean;
  readonly interval?: 'confidence' | 'prediction';
  readonly level?: string;
  readonly site?: string;
  readonly extrapolate?: boolean;
  readonly encoding?: string;
  readonly json?: boolean;
}

/** `suffice predict`: a resolved model, applied to rows that stay here. */
export function addPredictCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  const predict = program
    .command('predict')
    .description('apply a model to the rows of a file, here; nothing is sent')
    .argument('<model>', 'what suffice report --out or suffice fit --save-model wrote', asPath)
    .argument('<file>', 'CSV or Parquet file, or images; it need not have the response', asPath)
    .option('--out <file>', 'where to write the predictions; otherwise stdout', asPath)
    .option('--append', 'repeat the file’s own columns before the predictions')
    .option('--classes', 'only the class of each row and its probability')
    .addOption(
      new Option(
        '--interval <kind>',
        'add .se.fit, .lower and .upper: of the mean, or of a new observation',
      ).choices(['confidence', 'prediction']),
    )
    .option('--level <share>', 'how sure the interval is (0.95)')
    .option('--site <name>', 'the site of all rows, for a model with .site in its formula')
    .option('--extrapolate', 'do not warn of numbers outside the codebook’s ranges')
    .option('--encoding <name>', 'encoding of a text file, such as latin1')
    .option('--json', 'print JSON: a summary with --out, otherwise the predictions too');
  withDatabase(predict, io).action((modelPath, path, flags) =>
    runPredict(modelPath, path, flags, io),
  );
}

async function runPredict(
  modelPath: string,
  path: string,
  flags: PredictFlags,
  io: Io,
): Promise<void> {
  const { readModel } = await import('../node/files/model-file.ts');
  const model = await readModel(modelPath);
  if (model.key !== undefined) {
    io.stderr.write(`the seal of the model fits; sealed by ${model.key}\n`);
  }
  const interval = await intervalOf(model, flags);
  const request: PredictRequest = {
    model,
    file: { path },
    extrapolate: true,
    ...(flags.classes === true ? { only: 'classes' } : {}),
    ...defined({ encoding: flags.encoding, site: flags.site, interval }),
  };
  if (flags.json === true && flags.out === undefined)
    return printJson(request, model.report.digest, io);
  const { appendedLines, predictionLines } = await import('../rows/prediction-lines.ts');
  const { writePredictions } = await import('../node/run/prediction-file.ts');
  const near = flags.out === undefined ? tmpdir() : dirname(resolve(flags.out));
  const folder = mkdtempSync(join(near, '.suffice-predict-'));
  try {
    const written = join(folder, 'predictions.csv');
    const lines = flags.append === true ? appendedLines : predictionLines;
    const predicted = await writePredictions(lines, request, written);
    if (flags.out !== undefined) renameSync(written, flags.out);
    else await pipeline(createReadStream(written), io.stdout, { end: false });
    if (flags.json === true) print(summary(predicted, model.report.digest, flags.out), io);
    io.stderr.write(summaryText(predicted, flags.out));
    if (flags.extrapolate !== true) io.stderr.write(outsideText(predicted));
  } finally {
    if (existsSync(folder)) rmSync(folder, { recursive: true });
  }
}

async function intervalOf(
  { study, report }: ModelFile,
  flags: PredictFlags,
): Promise<PredictRequest['interval']> {
  const kind = flags.interval;
  if (kind === undefined) {
    if (flags.level === undefined) return undefined;
    throw new UsageError('--level belongs to an interval', 'add --interval confidence');
  }
  const level = Number(flags.level ?? 0.95);
  if (!(level > 0 && level < 1)) {
    throw new UsageError(`--level must be between 0 and 1: ${flags.level}`, 'try --level 0.95');
  }
  if (kind === 'prediction') {
    const { modelDesign } = await import('../model/model-design.ts');
    const { noPredictionInterval } = await import('../model/prediction-interval.ts');
    const without = noPredictionInterval(report, modelDesign(study, report));
    if (without !== undefined)
      throw new UsageError(without.problem, without.remedy, without.option);
  }
  return { kind, level };
}

async function printJson(request: PredictRequest, digest: string, io: Io): Promise<void> {
  const { predictRows } = await import('../rows/predict.ts');
  const { nodeHost } = await import('../node/compute/host.ts');
  const values: Record<string, (number | string | null)[]> = {};
  const predicted = await predictRows(request, nodeHost, (predictions, names, levels) => {
    names.forEach((name, k) => {
      values[name] ??= [];
      for (const value of predictions[k]) {
        values[name].push(Number.isNaN(value) ? null : (levels[k]?.[value] ?? value));
      }
    });
  });
  print({ ...summary(predicted, digest), predictions: values }, io);
}

function print(value: unknown, io: Io): void {
  io.stdout.write(`${visibleJson(JSON.stringify(value))}\n`);
}

function outsideText({ outside: { rows, columns } }: Predicted): string {
  if (rows === 0) return '';
  const those = rows === 1 ? '1 row has a number' : `${rows} rows have numbers`;
  return `warning: ${those} outside the ranges of the study (${columns.join(', ')}); the model was not fitted there\n`;
}

function summary({ names, rows, missing, outside }: Predicted, digest: string, out?: string) {
  return {
    schema: 'suffice/predictions@1',
    columns: names,
    rows,
    missing,
    ...(outside.rows === 0 ? {} : { outside }),
    model: digest,
    ...defined({ out }),
  };
}

function summaryText({ rows, missing }: Predicted, out: string | undefined): string {
  const lacking = missing === 0 ? '' : `, ${missing} without a prediction for a missing cell`;
  return `${rows} rows${lacking}${out === undefined ? '' : ` → ${out}`}\n`;
}
