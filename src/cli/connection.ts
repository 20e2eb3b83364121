import { type Command, Option } from 'commander';
import { shareProgress } from '../node/run/progress.ts';
import type { ClientOptions, StudyClient } from '../protocol/client.ts';
import type { Link } from '../protocol/link.ts';
import { byteText } from '../text/number-text.ts';
import type { Io } from './io.ts';

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

/** Options of every request of a command; a retry is reported on stderr. */
export function clientOptions({ insecureHttp }: ConnectionFlags, io: Io): ClientOptions {
  return {
    onRetry: (problem, wait) =>
      io.stderr.write(`${problem}; trying again in ${Math.ceil(wait / 1000)} s\n`),
    ...(insecureHttp === true ? { plainHttp: 'anywhere' } : {}),
  };
}

/** A bar on a terminal while a large contribution is sent. */
export function uploadBar({ stderr }: Io): Pick<ClientOptions, 'onUpload'> {
  if (!stderr.isTTY) return {};
  const bar = shareProgress(stderr);
  return {
    onUpload(arrived, bytes) {
      bar.update(arrived / bytes, `sending ${byteText(bytes)}`);
      if (arrived === bytes) bar.done();
    },
  };
}

/** The study a link leads to. */
export async function connect(
  argument: string | undefined,
  flags: ConnectionFlags,
  io: Io,
  purpose?: Link['purpose'],
): Promise<{ readonly link: Link; readonly client: StudyClient }> {
  const { readLink } = await import('../node/files/link-file.ts');
  const link = await readLink(argument, purpose, io);
  const { studyClient } = await import('../protocol/client.ts');
  return { link, client: studyClient(link, clientOptions(flags, io)) };
}
