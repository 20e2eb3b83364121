import { existsSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { StudyClient } from '../protocol/client.ts';
import type { StudyView } from '../protocol/messages.ts';
import { momentText, parseMoment } from '../text/duration.ts';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { connect, withConnection } from './connection.ts';
import { type Io, pathIn } from './io.ts';
import { connectRound, type RoundFlags, withRound } from './round-connection.ts';

interface LifeFlags extends RoundFlags {
  readonly json?: boolean;
  readonly deadline?: string;
  readonly expires?: string;
  readonly forgetKey?: boolean;
  readonly out?: string;
}

const LINK = 'file with the analyst’s link; - to paste it';

/** `suffice study open|extend|reopen|invite|end-enrolment|revoke`: the rest of a study's life. */
export function addStudyLife(study: Command, io: Io): void {
  const asPath = pathIn(io);
  const command = (name: string, description: string) =>
    study
      .command(name)
      .description(description)
      .argument('<link>', LINK)
      .option('--json', 'print JSON');
  const life = (name: string, description: string) => withRound(command(name, description));
  life('open', 'let sites contribute to a draft').action((link: string, flags: LifeFlags) =>
    change(link, flags, (client) => client.open(), io),
  );
  life('extend', 'move the deadline')
    .requiredOption('--deadline <time>', 'the new one: 2d from now, or an ISO 8601 time')
    .action((link: string, flags: LifeFlags) => {
      const deadline = parseMoment('--deadline', flags.deadline!);
      return change(link, flags, (client) => client.extend(deadline), io);
    });
  life('reopen', 'collect again; late contributions then count')
    .option('--deadline <time>', 'when collecting ends: 2d from now, or an ISO 8601 time')
    .action((link: string, flags: LifeFlags) => {
      const { deadline } = flags;
      const moment = deadline === undefined ? undefined : parseMoment('--deadline', deadline);
      return change(link, flags, (client) => client.reopen(moment), io);
    });
  const invite = command(
    'invite',
    'a new invitation for a site, old or new; earlier ones stop working',
  );
  withConnection(invite)
    .argument('<site>', 'name of the site')
    .option('--expires <time>', 'when it stops working: 30d, or an ISO 8601 time')
    .option('--forget-key', 'let the site sign with a new key: its old one is lost')
    .option('--out <file>', 'where to write the invitation; <site>.invitation', asPath)
    .action((argument, site, flags) => runInvite(argument, site, flags, io));
  const end = command(
    'end-enrolment',
    'stop the open link from enrolling devices; those that have enrolled go on',
  );
  withConnection(end).action((argument, flags) => runEndEnrolment(argument, flags, io));
  const revoke = command(
    'revoke',
    'stop a site’s invitation from working; what it contributed stays',
  );
  withConnection(revoke)
    .argument('<site>', 'name of the site')
    .action((argument, site, flags) => runRevoke(argument, site, flags, io));
}

async function runEndEnrolment(argument: string, flags: LifeFlags, io: Io): Promise<void> {
  const { client } = await connect(argument, flags, io, 'study');
  await client.endEnrolment();
  const { id, devices } = await client.view();
  const enrolled = devices?.enrolled ?? 0;
  const answer = { schema: 'suffice/enrolment-ended@1', study: id, enrolled };
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(answer))}\n`
      : `no device can enrol in study ${id} any more; enrolled so far: ${enrolled}\n`,
  );
}

async function change(
  argument: string,
  flags: LifeFlags,
  act: (client: StudyClient) => Promise<StudyView>,
  io: Io,
): Promise<void> {
  const { client } = await connectRound(argument, flags, io, 'study');
  const view = await act(client);
  io.stdout.write(
    flags.json === true ? `${visibleJson(JSON.stringify(view, null, 2))}\n` : stateText(view),
  );
}

function stateText({ id, state, deadline }: StudyView): string {
  const until =
    deadline === undefined ? '' : `; the deadline is ${momentText(deadline)} (${deadline})`;
  return `study ${id} is ${state}${until}\n`;
}

async function runInvite(argument: string, site: string, flags: LifeFlags, io: Io): Promise<void> {
  const out = flags.out ?? pathIn(io)(basename(`${site}.invitation`));
  if (existsSync(out)) {
    throw new UsageError(`${out} is there already`, 'name another file with --out');
  }
  const { link, client } = await connect(argument, flags, io, 'study');
  const secret = await client.invite(site, {
    ...(flags.expires === undefined ? {} : { expires: parseMoment('--expires', flags.expires) }),
    ...(flags.forgetKey === true ? { forgetKey: true } : {}),
  });
  const { linkText } = await import('../protocol/link.ts');
  const digest = link.digest ?? (await client.view()).digest;
  const text = linkText({ ...link, purpose: 'join', token: secret.token, digest });
  writeFileSync(out, `${text}\n`, { mode: 0o600, flag: 'wx' });
  const answer = { schema: 'suffice/invitation@1', site, link: text, file: out };
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(answer, null, 2))}\n`
      : `${out} is for ${visibleText(site)} alone; earlier invitations of that site no longer work\n`,
  );
}

async function runRevoke(argument: string, site: string, flags: LifeFlags, io: Io): Promise<void> {
  const { client } = await connect(argument, flags, io, 'study');
  await client.revoke(site);
  const answer = { schema: 'suffice/revoked@1', site };
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(answer))}\n`
      : `the invitation of ${visibleText(site)} no longer works\n`,
  );
}
