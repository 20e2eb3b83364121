import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { StudyClient } from '../protocol/client.ts';
import type { Link } from '../protocol/link.ts';
import { Refusal } from '../protocol/refusal.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { type ConnectionFlags, clientOptions, connect, withConnection } from './connection.ts';
import { type Io, pathIn } from './io.ts';
import { coordinatorAddress, givenOperatorToken } from './operator-access.ts';

interface AdminFlags extends ConnectionFlags {
  readonly coordinator?: string;
  readonly study?: string;
  readonly tokenFile?: string;
  readonly out?: string;
  readonly json?: boolean;
}

/** `suffice study renew-admin|revoke-admin`: a new link for the analyst, or none. */
export function addStudyAdmin(study: Command, io: Io): void {
  const asPath = pathIn(io);
  const command = (name: string, description: string) =>
    withConnection(
      study
        .command(name)
        .description(description)
        .argument('[link]', 'file with the analyst’s link; - to paste it')
        .option(
          '--coordinator <url>',
          'without a link, as the operator: address of the coordinator',
        )
        .option('--study <id>', 'without a link: the study, as suffice status shows it')
        .option(
          '--token-file <file>',
          'file with the operator’s token; or set SUFFICE_ADMIN_TOKEN',
          asPath,
        )
        .option('--json', 'print JSON'),
    );
  command('renew-admin', 'a new link for the analyst; the old one stops working at once')
    .option('--out <file>', 'where to write it; in place of the old link', asPath)
    .action((link: string | undefined, flags: AdminFlags) => runRenew(link, flags, io));
  command(
    'revoke-admin',
    'stop the analyst’s link from working; the operator can make a new one',
  ).action((link: string | undefined, flags: AdminFlags) => runRevokeAdmin(link, flags, io));
}

async function runRenew(argument: string | undefined, flags: AdminFlags, io: Io): Promise<void> {
  const out = outFile(argument, flags, io);
  const { link, client } = await reach(argument, flags, io);
  const { token } = await client.renewAdmin();
  const { linkText } = await import('../protocol/link.ts');
  const { writeSafely } = await import('../node/files/safe-file.ts');
  const text = linkText({ ...link, purpose: 'study', token });
  await writeSafely(out, `${text}\n`, 0o600);
  const answer = { schema: 'suffice/admin-link@1', id: link.study, link: text, file: out };
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(answer, null, 2))}\n`
      : `${out} is yours: anyone who holds it can run the study; the old link no longer works\n`,
  );
}

async function runRevokeAdmin(
  argument: string | undefined,
  flags: AdminFlags,
  io: Io,
): Promise<void> {
  const { link, client } = await reach(argument, flags, io);
  await client.revokeAdmin();
  const answer = { schema: 'suffice/admin-revoked@1', id: link.study };
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(answer))}\n`
      : 'the analyst’s link no longer works; the operator can make a new one (suffice study renew-admin)\n',
  );
}

/** Where the new link goes: decided before the old one ends. */
function outFile(argument: string | undefined, { out }: AdminFlags, io: Io): string {
  if (out !== undefined) {
    if (existsSync(out)) {
      throw new UsageError(`${out} is there already`, 'name another file with --out');
    }
    return out;
  }
  if (argument !== undefined && argument !== '-') return pathIn(io)(argument);
  throw new UsageError('there is no file for the new link', 'name one with --out');
}

/** The study by its link, or by its id as the operator. */
async function reach(
  argument: string | undefined,
  flags: AdminFlags,
  io: Io,
): Promise<{ readonly link: Link; readonly client: StudyClient }> {
  if (flags.coordinator === undefined) return connect(argument, flags, io, 'study');
  if (argument !== undefined || flags.study === undefined) {
    throw new UsageError(
      'a study is named by its link, or by --coordinator and --study',
      'give one of them, not both',
    );
  }
  const coordinator = coordinatorAddress(flags.coordinator);
  const token = givenOperatorToken(flags.tokenFile, io);
  const { requestStudies, studyClient } = await import('../protocol/client.ts');
  const options = clientOptions(flags, io);
  const views = await requestStudies(coordinator, token, options);
  const view = views.find(({ id }) => id === flags.study);
  if (view === undefined) {
    throw new Refusal('not-found', 'the coordinator has no such study', 'check --study');
  }
  const { id, coordinatorKey } = view;
  const link: Link = { coordinator, purpose: 'study', study: id, token, coordinatorKey };
  return { link, client: studyClient(link, options) };
}
