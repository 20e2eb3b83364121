import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { whyNotInTree } from '../fusion/in-tree.ts';
import type { Link } from '../protocol/link.ts';
import type { StudyView } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Study } from '../study/study.ts';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import { type ConnectionFlags, connect, withConnection } from './connection.ts';
import { wholeNumber } from './flags.ts';
import { type Io, pathIn } from './io.ts';
import { connectRound, type RoundFlags, withRound } from './round-connection.ts';

interface RegionFlags extends RoundFlags {
  readonly name?: string;
  readonly quorum?: string;
  readonly out?: string;
  readonly json?: boolean;
}

interface RenewFlags extends LeaveFlags {
  readonly parent: string;
}

interface LeaveFlags extends ConnectionFlags {
  readonly json?: boolean;
}

/** `suffice study region`, `renew-parent` and `leave`: a coordinator as one site of another’s study. */
export function addStudyRegion(study: Command, io: Io): void {
  const region = study
    .command('region')
    .description('the study of a region: its sum becomes one contribution to the study above')
    .argument('<invitation>', 'file with the region’s invitation to the study above; - to paste it')
    .option('--name <text>', 'name of the study in the region')
    .option('--quorum <n>', 'sites of the region that must have contributed')
    .option('--out <file>', 'where to write the study; it is printed unless given', pathIn(io))
    .option('--json', 'with --out: print JSON');
  withRound(region).action((invitation, flags) => runRegion(invitation, flags, io));
  const renew = study
    .command('renew-parent')
    .description('give a region a new invitation to the study above; the old one was lost or ended')
    .argument('<link>', 'file with the analyst’s link of the region’s study; - to paste it')
    .requiredOption(
      '--parent <invitation>',
      'file with the region’s new invitation to the study above',
      pathIn(io),
    )
    .option('--json', 'print JSON');
  withConnection(renew).action((link, flags) => runRenew(link, flags, io));
  const leave = study
    .command('leave')
    .description('take a region out of the study above, for good; its sum there is erased')
    .argument('<link>', 'file with the analyst’s link of the region’s study; - to paste it')
    .option('--json', 'print JSON');
  withConnection(leave).action((link, flags) => runLeave(link, flags, io));
}

async function runRegion(argument: string, flags: RegionFlags, io: Io): Promise<void> {
  const { link, view } = await connectRound(argument, flags, io, 'join');
  const study = await studyOfRegion(link, view, flags);
  const text = `${visibleJson(JSON.stringify(study, null, 2))}\n`;
  if (flags.out === undefined) {
    io.stdout.write(text);
    return;
  }
  writeFileSync(flags.out, text);
  const { studyDigest } = await import('../study/study.ts');
  const answer = {
    schema: 'suffice/region@1',
    file: flags.out,
    digest: studyDigest(study),
    parent: study.parents?.[0],
  };
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(answer, null, 2))}\n`
      : regionText(flags.out, argument, view),
  );
}

/** The study of the region that an invitation is for; refuses a study whose sums over a region cannot stand for its sites. */
export async function studyOfRegion(
  { coordinator, coordinatorKey }: Link,
  { study, digest, you }: StudyView,
  { name, quorum }: Pick<RegionFlags, 'name' | 'quorum'> = {},
): Promise<Study> {
  const { agreement } = await import('../federate.ts');
  const why = whyNotInTree(agreement(study).method);
  if (why !== undefined) throw new Refusal('unprocessable', why.problem, why.remedy);
  const site = you?.site ?? '';
  const { regionalStudy } = await import('../study/regional-study.ts');
  return regionalStudy(
    study,
    { study: digest, site, coordinator, coordinatorKey },
    {
      name: name ?? `${study.name ?? 'study'}, ${site}`.slice(0, 100),
      ...(quorum === undefined ? {} : { quorum: { sites: wholeNumber('--quorum', quorum) } }),
    },
  );
}

function regionText(file: string, invitation: string, { id, you }: StudyView): string {
  return [
    `${file} is the study of ${visibleText(you?.site ?? '')}, a region of study ${id}`,
    '',
    'put it on the coordinator of the region, and name the sites of the region:',
    `  suffice study create ${file} --parent ${invitation} --coordinator URL --site NAME --site NAME`,
    'before that, suffice study secure can hide the sites from that coordinator, and the file may get another name or quorum',
    '',
  ].join('\n');
}

async function runRenew(argument: string, flags: RenewFlags, io: Io): Promise<void> {
  const { client } = await connect(argument, flags, io, 'study');
  const { readLink } = await import('../node/files/link-file.ts');
  const { linkText } = await import('../protocol/link.ts');
  const parent = linkText(await readLink(flags.parent, 'join', io));
  const { id, sum } = await client.renewParent({ parent });
  const answer = { schema: 'suffice/region-renewed@1', id, sum };
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(answer, null, 2))}\n`
      : `study ${id} goes on with the new invitation; what waits is sent within seconds\n`,
  );
}

async function runLeave(argument: string, flags: LeaveFlags, io: Io): Promise<void> {
  const { client } = await connect(argument, flags, io, 'study');
  const view = await client.leaveParent();
  const { id, sum } = view;
  const answer = { schema: 'suffice/region-left@1', id, sum };
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(answer, null, 2))}\n`
      : `study ${id} has left the study above; ${sum?.state === 'leaving' ? 'its sum there is being erased: suffice status says when it is' : 'nothing of it is there'}\n`,
  );
}
