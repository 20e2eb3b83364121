import type { Command } from 'commander';
import type { Knowledge, Verification } from '../node/run/verify-file.ts';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import { type ConnectionFlags, withConnection } from './connection.ts';
import { CommandEnd, exitCode, type Io, pathIn } from './io.ts';
import { connectRound } from './round-connection.ts';

interface VerifyFlags extends ConnectionFlags {
  readonly link?: string;
  readonly study?: string;
  readonly json?: boolean;
}

/** `suffice verify`: what a signed file is, whose, and whether it is as it was signed. */
export function addVerifyCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  const verify = program
    .command('verify')
    .description('say what a signed file is, whose key signed it, and whether it fits')
    .argument('<file>', 'a resolution, receipt, erasure receipt, audit log or contribution', asPath)
    .option('--link <file>', 'file with a link: the coordinator’s key and the study must fit')
    .option('--study <file>', 'JSON file of the study it must belong to', asPath)
    .option('--json', 'print JSON');
  withConnection(verify).action((path, flags) => runVerify(path, flags, io));
}

async function runVerify(path: string, flags: VerifyFlags, io: Io): Promise<void> {
  const { verifyFile } = await import('../node/run/verify-file.ts');
  // A link leads to all rounds of a study; the file is of one of them.
  const verdicts = (await knowledge(flags, io)).map((known) => verifyFile(path, known));
  const verdict = verdicts.find(({ problem }) => problem === undefined) ?? verdicts[0];
  if (flags.json === true) {
    const ok = verdict.problem === undefined;
    const answer = { schema: 'suffice/verdict@1', ok, ...verdict };
    io.stdout.write(`${visibleJson(JSON.stringify(answer, null, 2))}\n`);
  } else if (verdict.problem !== undefined) {
    io.stderr.write(
      `suffice: ${path}, ${verdict.kind}: ${visibleText(verdict.problem)}\n  → do not rely on it; fetch it again\n`,
    );
  } else {
    io.stdout.write(verdictText(path, verdict, flags));
  }
  if (verdict.problem !== undefined) throw new CommandEnd(exitCode.refused);
}

/** What the file may be compared with: the study of each round that the link leads to. */
async function knowledge(flags: VerifyFlags, io: Io): Promise<Knowledge[]> {
  const { readStudy } = await import('../node/files/json-file.ts');
  const study = flags.study === undefined ? undefined : await readStudy(flags.study);
  if (flags.link === undefined) return study === undefined ? [{}] : [{ study }];
  const { rounds } = await connectRound(flags.link, flags, io);
  return rounds.map(({ link: { coordinatorKey }, view }) => ({
    coordinatorKey,
    study: study ?? view.study,
  }));
}

function verdictText(
  path: string,
  { kind, study, key, facts }: Verification,
  flags: VerifyFlags,
): string {
  const whose =
    flags.link !== undefined && kind !== 'contribution'
      ? ', the coordinator of the link'
      : ': compare it with the key that the coordinator gave you';
  return [
    `${path} is ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind} as it was signed`,
    ...facts.map((fact) => `  ${visibleText(fact)}`),
    `  study ${visibleText(study)}`,
    `  key ${key}${whose}`,
    '',
  ].join('\n');
}
