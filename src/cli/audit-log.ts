import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { DataError } from '../data-error.ts';
import { isRecord, readJson } from '../node/files/json-file.ts';
import type { AuditVerdict } from '../protocol/audit-chain.ts';
import type { AuditPlace, SealedAuditLog } from '../protocol/messages.ts';
import type { Sealed } from '../protocol/signature.ts';
import { visibleJson } from '../text/visible-text.ts';
import { CommandEnd, exitCode, type Io, pathIn } from './io.ts';
import { connectRound, type RoundFlags, withRound } from './round-connection.ts';
import { eventText } from './status.ts';

interface AuditFlags extends RoundFlags {
  readonly out?: string;
  readonly receipt?: string;
  readonly json?: boolean;
}

/** `suffice audit-log show|export|verify`: the events of a study, and whether the log is intact. */
export function addAuditLogCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  const log = program.command('audit-log').description('what happened in a study, and its proof');
  const command = (name: string, description: string) =>
    withRound(
      log
        .command(name)
        .description(description)
        .argument('[source]', 'file with a link, or a log that was exported; - to paste a link'),
    );
  command('show', 'print the log, a line an event')
    .option('--json', 'print JSON')
    .action((argument, flags) => runShow(argument, flags, io));
  command('export', 'write the signed log as JSON')
    .option('--out <file>', 'where to; otherwise stdout', asPath)
    .action((argument, flags) => runExport(argument, flags, io));
  command('verify', 'follow the chain of digests and check the signature')
    .option('--receipt <file>', 'a receipt that must have its place in the log', asPath)
    .option('--json', 'print JSON')
    .action((argument, flags) => runVerify(argument, flags, io));
}

interface Source {
  readonly log: SealedAuditLog;
  /** What the link says about the log; empty for a log from a file. */
  readonly expected: { readonly coordinatorKey?: string; readonly studyDigest?: string };
}

/** The log behind a link, or in a file. */
async function readSource(
  argument: string | undefined,
  flags: AuditFlags,
  io: Io,
): Promise<Source> {
  const { looksLikeLink } = await import('../node/files/link-file.ts');
  if (argument !== undefined && argument !== '-' && !looksLikeLink(argument)) {
    const { parseLink } = await import('../protocol/link.ts');
    const path = pathIn(io)(argument);
    const link = parseLink(readFileSync(path, 'utf8'));
    if ('problem' in link) return { log: await asLog(readJson(path), path), expected: {} };
  }
  const { link, client } = await connectRound(argument, flags, io);
  const { digest } = await client.view();
  const log = await client.auditLog();
  return { log, expected: { coordinatorKey: link.coordinatorKey, studyDigest: digest } };
}

async function asLog(json: unknown, path: string): Promise<SealedAuditLog> {
  const { messageSchemas } = await import('../protocol/answer-schemas.ts');
  if (messageSchemas.AuditLog.safeParse(json).success) return json as unknown as SealedAuditLog;
  throw new DataError(
    'the file holds neither a link nor an audit log',
    { file: path },
    'give what suffice audit-log export wrote, or the file of a link',
  );
}

async function runShow(argument: string | undefined, flags: AuditFlags, io: Io): Promise<void> {
  const { log } = await readSource(argument, flags, io);
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(log, null, 2))}\n`
      : log.entries.map(eventText).join(''),
  );
}

async function runExport(argument: string | undefined, flags: AuditFlags, io: Io): Promise<void> {
  const { log } = await readSource(argument, flags, io);
  const text = `${visibleJson(JSON.stringify(log, null, 2))}\n`;
  if (flags.out === undefined) io.stdout.write(text);
  else writeFileSync(flags.out, text);
}

async function runVerify(argument: string | undefined, flags: AuditFlags, io: Io): Promise<void> {
  const { verifyAuditLog } = await import('../protocol/audit-chain.ts');
  const { log, expected } = await readSource(argument, flags, io);
  const verdict = await withReceipt(verifyAuditLog(log, expected), log, flags.receipt);
  if (flags.json === true) {
    const ok = !('problem' in verdict);
    const answer = { schema: 'suffice/audit-verdict@1', study: log.study, ...verdict, ok };
    io.stdout.write(`${visibleJson(JSON.stringify(answer, null, 2))}\n`);
  } else if ('problem' in verdict) {
    io.stderr.write(
      `suffice: the audit log does not hold together: ${verdict.problem}\n  → keep a copy (suffice audit-log export) and ask who runs the coordinator\n`,
    );
  } else {
    const receipt = flags.receipt === undefined ? '' : ', the receipt has its place in it';
    io.stdout.write(
      `${verdict.entries} entries follow one another from the study’s digest${receipt}; sealed by ${log.seal.key}\n`,
    );
    const back = verdict.timeGoesBackAt ?? [];
    if (back.length > 0) {
      io.stderr.write(
        `suffice: the time goes back at entry ${back.join(', ')}: a clock of the coordinator was wrong\n  → ask the operator; a deadline may have been judged by that clock\n`,
      );
    }
  }
  if ('problem' in verdict) throw new CommandEnd(exitCode.refused);
}

/** The verdict, after the receipt's place was looked up in the chain. */
async function withReceipt(
  verdict: AuditVerdict,
  log: SealedAuditLog,
  path: string | undefined,
): Promise<AuditVerdict> {
  if (path === undefined || 'problem' in verdict) return verdict;
  const receipt = readJson(path);
  const { messageSchemas } = await import('../protocol/answer-schemas.ts');
  if (!isRecord(receipt) || !messageSchemas.Receipt.safeParse(receipt).success) {
    throw new DataError('the file is no receipt', { file: path }, 'give a receipt’s JSON file');
  }
  if (receipt.study !== log.study) return { problem: 'the receipt belongs to another study' };
  if (!(await isSignedBy(receipt, log.seal.key))) {
    return { problem: 'the receipt is not signed with the key that sealed the log' };
  }
  const { position, digest } = receipt.audit as unknown as AuditPlace;
  const entry = log.entries[position - 1];
  if (entry === undefined) {
    return { problem: `the log ends before entry ${position}, which the receipt names`, position };
  }
  if (entry.digest !== digest) {
    return { problem: `entry ${position} is not the one the receipt names`, position };
  }
  return verdict;
}

async function isSignedBy(document: Record<string, unknown>, key: string): Promise<boolean> {
  const { isSealed } = await import('../protocol/signature.ts');
  const { seal } = document;
  if (!isRecord(seal) || seal.key !== key || typeof seal.signature !== 'string') return false;
  return isSealed(document as unknown as Sealed<object>);
}
