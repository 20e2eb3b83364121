import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ExportedModel } from '../export/exported-model.ts';
import { visibleText } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { refuseUnwritable } from './flags.ts';
import { type Io, pathIn } from './io.ts';

interface ExportFlags {
  readonly format: keyof typeof formats;
  readonly out?: string;
}

/** Each format loads its modules when it is used. */
const formats = {
  json: async (model: ExportedModel) => (await import('../export/model-json.ts')).modelJson(model),
  csv: async ({ report }: ExportedModel) => (await import('../export/tidy-csv.ts')).tidyCsv(report),
  glance: async ({ report }: ExportedModel) =>
    (await import('../export/tidy-csv.ts')).glanceCsv(report),
  onnx: async (model: ExportedModel) => {
    await loadFiles(model);
    return (await import('../export/onnx.ts')).onnx(model);
  },
  r: async (model: ExportedModel) => (await import('../export/r-snippet.ts')).rSnippet(model),
  python: async (model: ExportedModel) =>
    (await import('../export/python-snippet.ts')).pythonSnippet(model),
  html: async (model: ExportedModel) =>
    (await import('../export/html-report.ts')).htmlReport(model),
} as const;

/** Loads what the feature map of a model needs, such as the weights of a backbone. */
async function loadFiles({ study }: ExportedModel): Promise<void> {
  const { loadStudyFiles, studyFiles } = await import('../rows/load-pinned.ts');
  if (studyFiles(study).length === 0) return;
  const { nodeHost } = await import('../node/compute/host.ts');
  await loadStudyFiles(study, nodeHost);
}

/** `suffice export`: a model for other programs, and for people. */
export function addExportCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  program
    .command('export')
    .description('write a model for R, Python, ONNX, a spreadsheet or a browser')
    .argument('<model>', 'what suffice report --out or suffice fit --save-model wrote', asPath)
    .addOption(
      new Option('--format <kind>', 'csv is the coefficients, glance the fit in one line')
        .choices(Object.keys(formats))
        .makeOptionMandatory(),
    )
    .option('--out <file>', 'where to write it; otherwise stdout', asPath)
    .action((path, flags) => runExport(path, flags, io));
}

async function runExport(path: string, { format, out }: ExportFlags, io: Io): Promise<void> {
  refuseUnwritable('--out', out);
  if (out !== undefined && resolve(out) === resolve(path)) {
    throw new UsageError(
      'the export would overwrite the model it is made of',
      'name another --out',
    );
  }
  const { readModel } = await import('../node/files/model-file.ts');
  const model = await readModel(path);
  if (model.key !== undefined) {
    io.stderr.write(`the seal of the model fits; sealed by ${model.key}\n`);
  }
  if (format === 'onnx' && out === undefined && io.stdout.isTTY) {
    throw new UsageError('an ONNX file is not for a terminal', 'add --out model.onnx');
  }
  const written = await formats[format](model);
  if (out !== undefined) {
    writeFileSync(out, written);
    io.stderr.write(visibleText(`the model as ${format} → ${out}`).concat('\n'));
  } else io.stdout.write(written);
}
