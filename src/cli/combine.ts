import type { Command } from 'commander';
import { type ConnectionFlags, clientOptions, withConnection } from './connection.ts';
import { type Io, noticeOn, pathIn, pathsIn } from './io.ts';
import { type QueryFlags, queryFromFlags, withQueryFlags } from './query-flags.ts';
import { answersToPrint } from './question-flags.ts';

interface CombineFlags extends QueryFlags, ConnectionFlags {
  readonly requireSignatures?: boolean;
  readonly home?: string;
  readonly json?: boolean;
}

/** `suffice combine`: the model of a study from contributions that came as files. */
export function addCombineCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  const asPaths = pathsIn(io);
  const combine = program
    .command('combine')
    .description('add contributions that came as files, and fit the model')
    .argument('<study>', 'JSON file with the study', asPath)
    .argument('<file...>', 'contributions, as suffice contribute wrote them', asPaths)
    .option('--require-signatures', 'refuse files that nobody signed')
    .option(
      '--home <folder>',
      'what the noise of a private study is drawn from (SUFFICE_HOME, ~/.suffice)',
    )
    .option('--json', 'print the report as JSON');
  withConnection(withQueryFlags(combine)).action((studyPath, paths, flags) =>
    runCombine(studyPath, paths, flags, io),
  );
}

async function runCombine(
  studyPath: string,
  paths: readonly string[],
  flags: CombineFlags,
  io: Io,
): Promise<void> {
  const { readStudy } = await import('../node/files/json-file.ts');
  const { combineFiles } = await import('../node/run/combine.ts');
  const { siteFolder } = await import('../node/site/site-folder.ts');
  const { printResult } = await import('./print-result.ts');
  const study = await readStudy(studyPath);
  const signatures = flags.requireSignatures === true ? 'required' : 'optional';
  const { report, answers, unsigned } = await combineFiles(
    study,
    paths,
    signatures,
    queryFromFlags(flags),
    siteFolder(flags.home, io),
    noticeOn(io),
    { ...clientOptions(flags, io), retryFor: 5000 },
  );
  for (const path of unsigned) io.stderr.write(`${path}: nobody signed it\n`);
  await printResult(study, report, answersToPrint(answers, flags), flags, io);
}
