import type { Command } from 'commander';
import type { Io } from './io.ts';

type AddCommand = (program: Command, io: Io) => void;

/** A command as the list of commands shows it, and how its module is loaded. */
interface CommandEntry {
  /** Options and arguments. */
  readonly usage: string;
  readonly line: string;
  readonly load: () => Promise<AddCommand>;
}

/** Each command in a module of its own, loaded when it is called: loading all takes longer than most of them run. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  demo: {
    usage: '[options]',
    line: 'a coordinator and three real sites, one model: penguins by island, or handwritten digits',
    load: async () => (await import('./demo.ts')).addDemoCommand,
  },
  fit: {
    usage: '[options] <formula> [file...]',
    line: 'fit one model over several files, each a site, exactly as if their rows were pooled',
    load: async () => (await import('./fit.ts')).addFitCommand,
  },
  serve: {
    usage: '[options]',
    line: 'run a coordinator: it collects contributions and resolves studies',
    load: async () => (await import('./serve.ts')).addServeCommand,
  },
  backup: {
    usage: '[options]',
    line: 'copy a coordinator’s store to one file while it runs, and check the copy',
    load: async () => (await import('./backup.ts')).addBackupCommand,
  },
  restore: {
    usage: '[options] <file>',
    line: 'make a data folder from a backup, after checking it; overwrites nothing',
    load: async () => (await import('./restore.ts')).addRestoreCommand,
  },
  doctor: {
    usage: '[options]',
    line: 'check this machine, a store, a database or a running coordinator',
    load: async () => (await import('./doctor.ts')).addDoctorCommand,
  },
  helper: {
    usage: '',
    line: 'run or ask the second party of studies whose sites nobody sees one by one',
    load: async () => (await import('./helper.ts')).addHelperCommand,
  },
  study: {
    usage: '',
    line: 'draft, check, create and run a study',
    load: async () => (await import('./study.ts')).addStudyCommand,
  },
  status: {
    usage: '[options] [link]',
    line: 'where a study stands, who has contributed, and the bytes it took',
    load: async () => (await import('./status.ts')).addStatusCommand,
  },
  close: {
    usage: '[options] [link]',
    line: 'stop collecting and resolve',
    load: async () => (await import('./close.ts')).addCloseCommand,
  },
  report: {
    usage: '[options] [link]',
    line: 'fetch the model of a study, check who signed it, and print it',
    load: async () => (await import('./report.ts')).addReportCommand,
  },
  predict: {
    usage: '[options] <model> <file>',
    line: 'apply a model to the rows of a file, here; nothing is sent',
    load: async () => (await import('./predict.ts')).addPredictCommand,
  },
  export: {
    usage: '[options] <model>',
    line: 'write a model for R, Python, ONNX, a spreadsheet or a browser',
    load: async () => (await import('./export.ts')).addExportCommand,
  },
  evaluate: {
    usage: '[options] <model> <files...>',
    line: 'count how a model of classes does on held-out rows, or add up such counts',
    load: async () => (await import('./evaluate.ts')).addEvaluateCommand,
  },
  withdraw: {
    usage: '[options] [link]',
    line: 'take a site’s contributions out of a study and have them erased',
    load: async () => (await import('./withdraw.ts')).addWithdrawCommand,
  },
  open: {
    usage: '[options] [link]',
    line: 'find out who sent wrong numbers to a secure study: ask the sites, or agree',
    load: async () => (await import('./open.ts')).addOpenCommand,
  },
  verify: {
    usage: '[options] <file>',
    line: 'say what a signed file is, whose key signed it, and whether it fits',
    load: async () => (await import('./verify.ts')).addVerifyCommand,
  },
  'audit-log': {
    usage: '',
    line: 'what happened in a study, and its proof',
    load: async () => (await import('./audit-log.ts')).addAuditLogCommand,
  },
  join: {
    usage: '[options] <invitation> [file]',
    line: 'take part in a study with your file: see what is sent, approve, send',
    load: async () => (await import('./join.ts')).addJoinCommand,
  },
  contribute: {
    usage: '[options] <study> [file]',
    line: 'write a contribution to a file instead of sending it',
    load: async () => (await import('./contribute.ts')).addContributeCommand,
  },
  sql: {
    usage: '[options] <study>',
    line: 'write the statistic of a study as a query, for the database that holds the rows',
    load: async () => (await import('./sql.ts')).addSqlCommand,
  },
  combine: {
    usage: '[options] <study> <file...>',
    line: 'add contributions that came as files, and fit the model',
    load: async () => (await import('./combine.ts')).addCombineCommand,
  },
  audit: {
    usage: '[options] <study> <file>',
    line: 'check your file against the disclosure rules; nothing leaves this machine',
    load: async () => (await import('./audit.ts')).addAuditCommand,
  },
  ledger: {
    usage: '[options]',
    line: 'what has left this site, the privacy it spent, and whether the ledger is intact',
    load: async () => (await import('./ledger.ts')).addLedgerCommand,
  },
  key: {
    usage: '[options]',
    line: 'the public key of this site, for the roster of a secure study',
    load: async () => (await import('./key.ts')).addKeyCommand,
  },
  privacy: {
    usage: '',
    line: 'plan a private study: what a promise means, its noise and what a fit will be worth',
    load: async () => (await import('./privacy.ts')).addPrivacyCommand,
  },
  attack: {
    usage: '[options] <file>',
    line: 'show on your own file what a plain statistic of it would give away',
    load: async () => (await import('./attack.ts')).addAttackCommand,
  },
  paper: {
    usage: '[options] [paper]',
    line: "the papers' tables and figures, measured here beside the printed ones",
    load: async () => (await import('./paper.ts')).addPaperCommand,
  },
  bench: {
    usage: '[options]',
    line: 'which kernels are in use, and how fast they are here',
    load: async () => (await import('./bench.ts')).addBenchCommand,
  },
  version: {
    usage: '[options]',
    line: 'print the version',
    load: async () => (await import('./version.ts')).addVersionCommand,
  },
  completion: {
    usage: '<shell>',
    line: 'print a script that completes commands and flags in your shell',
    load: async () => (await import('./completion.ts')).addCompletionCommand,
  },
};
