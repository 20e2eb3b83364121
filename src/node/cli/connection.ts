import { type Command, Option } from 'commander';
import type { ClientOptions, StudyClient } from '../../protocol/client.ts';
import type { Link } from '../../protocol/link.ts';

/** Flags of every command that talks to a coordinator. */
export interface ConnectionFlags {
  readonly insecureHttp?: boolean;
}

/** Adds the flags of every command that talks to a coordinator. */
export function withConnection(command: Command): Command {
  return command.addOption(
    new Option(
      '--insecure-http',
      'send the secret readable over http:// to another machine, for closed test networks',
    ),
  );
}

/** What every request of a command uses; retries are told on stderr. */
export function clientOptions({ insecureHttp }: ConnectionFlags): ClientOptions {
  return {
    onRetry: (problem, wait) =>
      process.stderr.write(`${problem}; trying again in ${Math.ceil(wait / 1000)} s\n`),
    ...(insecureHttp === true ? { plainHttp: 'anywhere' } : {}),
  };
}

/** The study a link leads to. */
export async function connect(
  argument: string | undefined,
  flags: ConnectionFlags,
  purpose?: Link['purpose'],
): Promise<{ readonly link: Link; readonly client: StudyClient }> {
  const { readLink } = await import('../link-file.ts');
  const link = await readLink(argument, purpose);
  const { studyClient } = await import('../../protocol/client.ts');
  return { link, client: studyClient(link, clientOptions(flags)) };
}
