import type { Command } from 'commander';
import { defined } from '../defined.ts';
import type { HelperDescription } from '../protocol/helper-messages.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { type ConnectionFlags, clientOptions, withConnection } from './connection.ts';
import { type Io, pathIn, untilSignal } from './io.ts';
import {
  type ServerFlags,
  serverOptions,
  stopUnlessSignalled,
  withServerFlags,
} from './server-flags.ts';
import { inkFor } from './terminal-text.ts';

const DATA = 'suffice-helper';

/** `suffice helper`: the second party of a sum that nobody can see the parts of. */
export function addHelperCommand(program: Command, io: Io): void {
  const helper = program
    .command('helper')
    .description('run or ask the second party of studies whose sites nobody sees one by one');
  const serve = helper
    .command('serve')
    .description('run a helper: it adds the masks of the sites, and never sees their numbers');
  withServerFlags(serve, io, { folder: DATA, port: '7701' })
    .option(
      '--sites <file>',
      'keys of the sites you know, one at the end of each line; others are refused',
      pathIn(io),
    )
    .action((flags) => runServe(flags, io));
  const show = helper
    .command('show')
    .description('the public keys of a helper, to compare with those its people tell you')
    .argument('<url>', 'address of the helper')
    .option('--json', 'print JSON');
  withConnection(show).action((url, flags) => runShow(url, flags, io));
  const statements = helper
    .command('statements')
    .description('what a helper has answered about a study, as it signed it')
    .argument('<url>', 'address of the helper')
    .argument('<study>', 'digest of the study, as suffice study digest prints it')
    .option('--json', 'print JSON');
  withConnection(statements).action((url, study, flags) => runStatements(url, study, flags, io));
}

interface HelperFlags extends ServerFlags {
  readonly sites?: string;
}

async function runServe(flags: HelperFlags, io: Io): Promise<void> {
  const options = { ...serverOptions(flags, io, DATA), ...defined({ sites: flags.sites }) };
  io.surviveLostOutput?.();
  const { serveHelper } = await import('../node/server/serve-helper.ts');
  const served = await serveHelper(options);
  const address = flags.publicUrl ?? served.address;
  const signalled = untilSignal(io); // listens before anybody knows that it is ready
  const { description } = served.helper;
  io.stdout.write(
    flags.json === true
      ? `${JSON.stringify({ schema: 'suffice/serving-helper@1', address, ...keysOf(description) })}\n`
      : readyText(address, description, io),
  );
  await signalled;
  await stopUnlessSignalled(served, io);
}

function keysOf({ keys, signingKey }: HelperDescription): Omit<HelperDescription, 'schema'> {
  return { keys, signingKey };
}

function readyText(address: string, description: HelperDescription, io: Io): string {
  return [
    '',
    `${inkFor(io).bold('Suffice helper')}  ${address}`,
    ...keyLines(description),
    '',
    'It must be run by another organisation than the coordinator. The analyst makes a study with it by',
    `  suffice study secure STUDY.json --helper ${address} --roster SITES.txt`,
    '',
    'Ctrl-C stops it.',
    '',
    '',
  ].join('\n');
}

/** The long key is shown by its beginning: the study has it whole. */
function keyLines({ keys, signingKey }: HelperDescription): string[] {
  return [
    `seals to     ${keys.x25519}`,
    `  x-wing     ${keys['x-wing'].slice(0, 43)}…`,
    `signs with   ${signingKey}`,
  ];
}

interface ShowFlags extends ConnectionFlags {
  readonly json?: boolean;
}

async function runShow(url: string, flags: ShowFlags, io: Io): Promise<void> {
  const description = await (await clientAt(url, flags, io)).description();
  io.stdout.write(
    flags.json === true
      ? `${JSON.stringify(description, null, 2)}\n`
      : `${keyLines(description).join('\n')}\n`,
  );
}

async function runStatements(url: string, study: string, flags: ShowFlags, io: Io): Promise<void> {
  if (!/^sha256:[0-9a-f]{64}$/.test(study)) {
    throw new UsageError(
      'the study is named by its digest: sha256: and 64 hexadecimal digits',
      'suffice study digest STUDY.json prints it',
    );
  }
  const { statements } = await (await clientAt(url, flags, io)).statements(study);
  if (flags.json === true) {
    io.stdout.write(`${visibleJson(JSON.stringify(statements, null, 2))}\n`);
    return;
  }
  const lines = statements.map(
    ({ answeredAt, contributions, sites, set }) =>
      `${answeredAt}  ${contributions} contributions of ${sites.length} sites  ${set}`,
  );
  io.stdout.write(
    `${lines.length === 0 ? 'it has answered nothing about this study' : lines.join('\n')}\n`,
  );
}

async function clientAt(url: string, flags: ConnectionFlags, io: Io) {
  const { helperClient } = await import('../protocol/helper-client.ts');
  return helperClient(url, { ...clientOptions(flags, io), retryFor: 5000 });
}
