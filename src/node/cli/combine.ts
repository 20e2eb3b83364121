import type { Command } from 'commander';
import { type InquiryFlags, inquiryOf, withInquiry } from './inquiry-flags.ts';
import { newsOf } from './question-flags.ts';

interface CombineFlags extends InquiryFlags {
  readonly requireSignatures?: boolean;
  readonly home?: string;
  readonly json?: boolean;
}

/** `suffice combine`: the model of a study from contributions that came as files. */
export function addCombineCommand(program: Command): void {
  const combine = program
    .command('combine')
    .description('add contributions that came as files, and fit the model')
    .argument('<study>', 'JSON file with the study')
    .argument('<file...>', 'contributions, as suffice contribute wrote them')
    .option('--require-signatures', 'refuse files that nobody signed')
    .option(
      '--home <folder>',
      'what the noise of a private study is drawn from (SUFFICE_HOME, ~/.suffice)',
    )
    .option('--json', 'print the report as JSON');
  withInquiry(combine).action(runCombine);
}

async function runCombine(
  studyPath: string,
  paths: readonly string[],
  flags: CombineFlags,
): Promise<void> {
  const { readStudy } = await import('../study-file.ts');
  const { combineFiles } = await import('../combine.ts');
  const { siteFolder } = await import('../site-home.ts');
  const { printFindings } = await import('./print-findings.ts');
  const study = await readStudy(studyPath);
  const signatures = flags.requireSignatures === true ? 'required' : 'optional';
  const { report, answers, unsigned } = await combineFiles(
    study,
    paths,
    signatures,
    inquiryOf(flags),
    siteFolder(flags.home),
  );
  for (const path of unsigned) process.stderr.write(`${path}: nobody signed it\n`);
  await printFindings(report, newsOf(answers, flags), flags);
}
