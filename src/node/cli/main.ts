#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Help } from 'commander';
import { manifest } from '../package-files.ts';
import { enableRelaxedSimd } from '../relaxed-simd.ts';
import { exitCode, explainFailure } from './failure.ts';

enableRelaxedSimd();

const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
const program = new Command('suffice')
  .description(
    'One model over data that must stay where it is, in one round, exactly as if pooled.',
  )
  .version(version)
  .exitOverride()
  .configureHelp({
    // That a list is empty until something is put in says nothing.
    optionDescription: (option) =>
      Help.prototype.optionDescription.call(new Help(), option).replace(' (default: [])', ''),
  })
  .showHelpAfterError('(suffice --help lists the commands)');

/** Each command in a module of its own, loaded when it is called: the others would double the time to start. */
const commands: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  demo: async () => (await import('./demo.ts')).addDemoCommand,
  fit: async () => (await import('./fit.ts')).addFitCommand,
  serve: async () => (await import('./serve.ts')).addServeCommand,
  study: async () => (await import('./study.ts')).addStudyCommand,
  status: async () => (await import('./status.ts')).addStatusCommand,
  close: async () => (await import('./close.ts')).addCloseCommand,
  report: async () => (await import('./report.ts')).addReportCommand,
  predict: async () => (await import('./predict.ts')).addPredictCommand,
  export: async () => (await import('./export.ts')).addExportCommand,
  evaluate: async () => (await import('./evaluate.ts')).addEvaluateCommand,
  withdraw: async () => (await import('./withdraw.ts')).addWithdrawCommand,
  verify: async () => (await import('./verify.ts')).addVerifyCommand,
  'audit-log': async () => (await import('./audit-log.ts')).addAuditLogCommand,
  join: async () => (await import('./join.ts')).addJoinCommand,
  contribute: async () => (await import('./contribute.ts')).addContributeCommand,
  combine: async () => (await import('./combine.ts')).addCombineCommand,
  audit: async () => (await import('./audit.ts')).addAuditCommand,
  ledger: async () => (await import('./ledger.ts')).addLedgerCommand,
  privacy: async () => (await import('./privacy.ts')).addPrivacyCommand,
  attack: async () => (await import('./attack.ts')).addAttackCommand,
  paper: async () => (await import('./paper.ts')).addPaperCommand,
  bench: async () => (await import('./bench.ts')).addBenchCommand,
};

const asked = process.argv[2] ?? '';
const wanted = Object.hasOwn(commands, asked) ? [asked] : Object.keys(commands); // help names all
for (const name of wanted) (await commands[name]())(program);

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCode.ok); // the reader of a pipe went away
  throw error;
});

try {
  await program.parseAsync();
} catch (failure) {
  if (failure instanceof CommanderError) {
    process.exitCode = failure.exitCode === 0 ? exitCode.ok : exitCode.usage;
  } else {
    process.exitCode = explainFailure(failure);
  }
}
