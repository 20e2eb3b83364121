import type { Command } from 'commander';
import type { Io } from './io.ts';

type AddCommand = (program: Command, io: Io) => void;

/** Each command in a module of its own, loaded when it is called: loading all would double the time to start. */
export const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
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
  version: async () => (await import('./version.ts')).addVersionCommand,
  completion: async () => (await import('./completion.ts')).addCompletionCommand,
};
