import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { defined } from '../defined.ts';
import type { CheckResult } from '../node/operate/check-result.ts';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { CommandEnd, exitCode, type Io, pathIn } from './io.ts';
import { inkFor } from './terminal-text.ts';

interface DoctorFlags {
  readonly data?: string;
  readonly database?: string;
  readonly coordinator?: string;
  readonly json?: boolean;
}

/** `suffice doctor`: what is wrong here, and what to do about it. */
export function addDoctorCommand(program: Command, io: Io): void {
  program
    .command('doctor')
    .description('check this machine, a store, a database or a running coordinator')
    .option(
      '--data <folder>',
      'folder of a coordinator or helper (default: suffice-data, if there)',
      pathIn(io),
    )
    .option('--database <url>', 'a PostgreSQL database, as postgres://…; or set SUFFICE_DATABASE')
    .option('--coordinator <url>', 'address of a running coordinator or helper')
    .option('--json', 'print JSON')
    .action((flags) => runDoctor(flags, io));
}

async function runDoctor(flags: DoctorFlags, io: Io): Promise<void> {
  const { coordinator } = flags;
  if (coordinator !== undefined && !isWebAddress(coordinator)) {
    throw new UsageError(
      '--coordinator must be an address that starts with https://',
      'give the address that sites use',
    );
  }
  const database = flags.database ?? (io.env.SUFFICE_DATABASE || undefined);
  if (database !== undefined && !/^postgres(ql)?:\/\//.test(database)) {
    throw new UsageError('the database must start with postgres://', 'check its address');
  }
  const usual = pathIn(io)('suffice-data');
  const nothing = database === undefined && coordinator === undefined;
  const data = flags.data ?? (nothing && existsSync(usual) ? usual : undefined);
  const { examine } = await import('../node/operate/doctor.ts');
  const { nodeVersion } = io;
  const results = await examine({ nodeVersion, ...defined({ data, database, coordinator }) });
  const problems = results.filter(({ state }) => state === 'problem').length;
  const warnings = results.filter(({ state }) => state === 'warning').length;
  const answer = { schema: 'suffice/doctor@1', problems, warnings, results };
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(answer, null, 2))}\n`
      : [
          ...results.flatMap((result) => resultLines(result, io)),
          '',
          `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`,
          '',
        ].join('\n'),
  );
  if (problems > 0) throw new CommandEnd(exitCode.invalidData);
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^/?#]/.test(text) && URL.canParse(text);
}

function resultLines({ check, state, text, remedy }: CheckResult, io: Io): readonly string[] {
  const { bold, faint } = inkFor(io);
  const ink = state === 'ok' ? faint : bold;
  return [
    `${ink(state.padEnd(7))}  ${check.padEnd(12)} ${visibleText(text)}`,
    ...(remedy === undefined ? [] : [`         ${''.padEnd(12)} → ${visibleText(remedy)}`]),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
