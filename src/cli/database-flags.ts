import { type Command, Option } from 'commander';
import { defined } from '../defined.ts';
import type { PushdownWhen } from '../node/database/pushdown.ts';
import type { AnsweredRows } from '../node/site/join-answers.ts';
import { isDatabaseAddress } from '../rows/database-address.ts';
import { UsageError } from '../usage-error.ts';
import { type Io, noticeOn, pathIn } from './io.ts';

interface DatabaseFlags {
  readonly passwordFile?: string;
  readonly pushdown?: PushdownWhen;
  readonly quiet?: boolean;
}

/** Whether an argument of a command is the address of rows in a database. */
function hasDatabase({ processedArgs }: Command): boolean {
  return processedArgs.flat().some((one) => typeof one === 'string' && isDatabaseAddress(one));
}

/** Adds the flag for rows in a database, and says where its password comes from. */
export function withDatabase(command: Command, io: Io): Command {
  return command
    .option(
      '--password-file <file>',
      'the password of a database, alone in a file that only you can read (or SUFFICE_DB_PASSWORD)',
      pathIn(io),
    )
    .hook('preAction', async (_, called) => {
      const { passwordFile } = called.opts<DatabaseFlags>();
      const { useCredentials } = await import('../node/database/credentials.ts');
      useCredentials({ env: io.env, ...defined({ passwordFile }) });
      if (!hasDatabase(called)) return;
      // Ctrl-C also ends the query at the server.
      io.onSignal('SIGINT', async () => {
        const { cancelQueries } = await import('../node/database/running-queries.ts');
        await cancelQueries();
        io.interrupt?.();
      });
    });
}

/** Adds the flag that says whether a database computes the sums itself, for a fit. */
export function withPushdown(command: Command, io: Io): Command {
  const flag = pushdownFlag('where that is quicker, always, or never (auto)');
  return command.addOption(flag).hook('preAction', async (_, called) => {
    const { pushdown: when = 'auto', quiet } = called.opts<DatabaseFlags>();
    if (!hasDatabase(called)) return;
    const { usePushdown } = await import('../node/database/pushdown.ts');
    usePushdown({ when, explain: quiet === true ? () => {} : noticeOn(io) });
  });
}

/** Says at a site who adds its rows, before anybody approves the sums. */
export function explainingSums(command: Command, io: Io): Command {
  return command.hook('preAction', async (_, called) => {
    const { pushdown, quiet } = called.opts<DatabaseFlags>();
    if (!hasDatabase(called) || quiet === true) return;
    const explain = noticeOn(io);
    if (pushdown !== 'always') {
      explain('rows are read here: the disclosure rules see more of rows than of sums');
      return;
    }
    const { usePushdown } = await import('../node/database/pushdown.ts');
    usePushdown({ when: 'never', explain });
  });
}

/** The same flag at a site, which reads its rows unless it says otherwise: the rules see more then. */
export function withSitePushdown(command: Command): Command {
  return command.addOption(
    pushdownFlag('always, or never: the rules see more of rows that are read (auto: never)'),
  );
}

function pushdownFlag(when: string): Option {
  return new Option(
    '--pushdown <when>',
    `let a database compute the sums by a query: ${when}`,
  ).choices(['auto', 'always', 'never']);
}

/** The flags of a site whose database has summed its rows, or is to. */
export interface AnsweredFlags {
  readonly fromResult?: readonly string[];
  readonly pushdown?: PushdownWhen;
}

/** What a site joins with in place of rows: files with answers, or a database that is asked now; undefined where rows are read. */
export async function answeredBy(
  path: string | undefined,
  { fromResult, pushdown }: AnsweredFlags,
  io: Io,
): Promise<AnsweredRows | undefined> {
  if (fromResult !== undefined) {
    const { readAnswerFiles } = await import('../node/files/answer-files.ts');
    const files = fromResult.map(pathIn(io));
    const read = async () => readAnswerFiles(files);
    return { version: async () => (await read()).source, answers: read };
  }
  if (pushdown !== 'always' || path === undefined) return undefined;
  if (!isDatabaseAddress(path)) {
    throw new UsageError('--pushdown always is for tables of databases', 'leave it out');
  }
  const { answersOfDatabase } = await import('../node/database/database-answers.ts');
  const { versionAt } = await import('../rows/sources.ts');
  const { nodeHost } = await import('../node/compute/host.ts');
  return {
    version: () => versionAt(nodeHost, { path }),
    answers: (agreed, site) => answersOfDatabase(path, agreed, site),
  };
}
