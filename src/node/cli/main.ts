#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { enableRelaxedSimd } from '../relaxed-simd.ts';
import { addAuditLogCommand } from './audit-log.ts';
import { addBenchCommand } from './bench.ts';
import { addCloseCommand } from './close.ts';
import { addCombineCommand } from './combine.ts';
import { addContributeCommand } from './contribute.ts';
import { addDemoCommand } from './demo.ts';
import { addEvaluateCommand } from './evaluate.ts';
import { addExportCommand } from './export.ts';
import { exitCode, explainFailure } from './failure.ts';
import { addFitCommand } from './fit.ts';
import { addJoinCommand } from './join.ts';
import { addPredictCommand } from './predict.ts';
import { addReportCommand } from './report.ts';
import { addServeCommand } from './serve.ts';
import { addStatusCommand } from './status.ts';
import { addStudyCommand } from './study.ts';
import { addVerifyCommand } from './verify.ts';
import { addWithdrawCommand } from './withdraw.ts';

enableRelaxedSimd();

const manifest = new URL('../../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
const program = new Command('suffice')
  .description(
    'One model over data that must stay where it is, in one round, exactly as if pooled.',
  )
  .version(version)
  .exitOverride()
  .showHelpAfterError('(suffice --help lists the commands)');
addDemoCommand(program);
addFitCommand(program);
addServeCommand(program);
addStudyCommand(program);
addStatusCommand(program);
addCloseCommand(program);
addReportCommand(program);
addPredictCommand(program);
addExportCommand(program);
addEvaluateCommand(program);
addWithdrawCommand(program);
addVerifyCommand(program);
addAuditLogCommand(program);
addJoinCommand(program);
addContributeCommand(program);
addCombineCommand(program);
addBenchCommand(program);

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
