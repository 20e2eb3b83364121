import type { Command } from 'commander';
import { inkFor } from './ink.ts';

interface CombineFlags {
  readonly requireSignatures?: boolean;
  readonly json?: boolean;
}

/** `suffice combine`: the model of a study from contributions that came as files. */
export function addCombineCommand(program: Command): void {
  program
    .command('combine')
    .description('add contributions that came as files, and fit the model')
    .argument('<study>', 'JSON file with the study')
    .argument('<file...>', 'contributions, as suffice contribute wrote them')
    .option('--require-signatures', 'refuse files that nobody signed')
    .option('--json', 'print the report as JSON')
    .action(runCombine);
}

async function runCombine(
  studyPath: string,
  paths: readonly string[],
  flags: CombineFlags,
): Promise<void> {
  const { readStudy } = await import('../study-file.ts');
  const { combineFiles } = await import('../combine.ts');
  const { reportJson } = await import('../../model/report.ts');
  const { reportText } = await import('../../model/report-text.ts');
  const study = await readStudy(studyPath);
  const signatures = flags.requireSignatures === true ? 'required' : 'optional';
  const { report, unsigned } = await combineFiles(study, paths, signatures);
  for (const path of unsigned) process.stderr.write(`${path}: nobody signed it\n`);
  process.stdout.write(
    flags.json === true
      ? `${reportJson(report)}\n`
      : `\n${reportText(report, inkFor(process.stdout))}\n`,
  );
}
