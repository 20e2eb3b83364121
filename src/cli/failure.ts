import type { ZodError } from 'zod';
import { defined } from '../defined.ts';
import { type Failure, FailureError, type FailureKind } from '../failure.ts';
import { visibleJson, visibleLines } from '../text/visible-text.ts';
import { CommandEnd, exitCode, type OutputStream } from './io.ts';
import { withFlags } from './option-text.ts';

const exitOf: Readonly<Record<FailureKind, number>> = {
  data: exitCode.invalidData,
  formula: exitCode.usage,
  usage: exitCode.usage,
  network: exitCode.network,
  policy: exitCode.refused,
};

const systemProblems: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'not allowed for this user',
  EISDIR: 'is a folder, not a file',
};

/** Problems of the disk, which may come without a path. */
const diskProblems: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  ENOSPC: ['the disk is full', 'make room, then run the command again'],
  EDQUOT: ['the disk quota is used up', 'make room, then run the command again'],
  EFBIG: ['the file is larger than this system allows', 'write it to another disk'],
  EROFS: ['the file system can only be read', 'use a folder that can be written'],
  EIO: ['the disk does not read or write', 'check the disk, then run the command again'],
};

/** A failure as the command line tells it. */
export interface ShownFailure extends Failure {
  readonly kind: FailureKind | 'unexpected';
  readonly exit: number;
}

/** Prints the problem and the remedy, as text or as one line of JSON, and gives the exit code. */
export function explainFailure(
  failure: unknown,
  stderr: OutputStream,
  form: 'text' | 'json' = 'text',
): number {
  if (failure instanceof CommandEnd) return failure.code;
  const shown = shownFailure(failure);
  if (form === 'json') stderr.write(failureJson(shown));
  else {
    const problem = failure instanceof FailureError ? failure.message : shown.problem;
    stderr.write(visibleLines(`suffice: ${problem}\n  → ${shown.remedy}\n`));
  }
  return shown.exit;
}

/** A failure as one line of JSON. */
export function failureJson(shown: ShownFailure): string {
  return `${visibleJson(JSON.stringify({ schema: 'suffice/failure@1', ...shown }))}\n`;
}

function shownFailure(failure: unknown): ShownFailure {
  const shown = (
    problem: string,
    remedy: string,
    kind: ShownFailure['kind'] = 'data',
  ): ShownFailure => ({
    kind,
    exit: kind === 'unexpected' ? exitCode.unexpected : exitOf[kind],
    problem,
    remedy,
  });
  if (failure instanceof FailureError) {
    const { kind, problem, remedy, place, option } = failure;
    return { ...shown(problem, withFlags(remedy, option), kind), ...defined({ place, option }) };
  }
  if (isZodError(failure)) {
    const issue = failure.issues[0];
    const where = issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
    return shown(`${where}${issue.message}`, 'correct the file and try again');
  }
  const disk = diskProblems[codeOf(failure)];
  if (disk !== undefined) {
    const [problem, remedy] = disk;
    const { path } = failure as NodeJS.ErrnoException;
    return shown(path === undefined ? problem : `${path}: ${problem}`, remedy);
  }
  if (isSystemError(failure)) {
    const problem = systemProblems[failure.code ?? ''] ?? failure.code;
    const remedy =
      failure.code === 'EACCES'
        ? 'check the path, its owner and its mode; or run the command as another user'
        : 'check the path';
    return shown(`${failure.path}: ${problem}`, remedy);
  }
  const text = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  return shown(text, 'this is a bug in suffice; please report it', 'unexpected');
}

function codeOf(failure: unknown): string {
  return failure instanceof Error && 'code' in failure ? String(failure.code) : '';
}

function isSystemError(failure: unknown): failure is NodeJS.ErrnoException {
  return failure instanceof Error && 'code' in failure && 'path' in failure;
}

// By name, because loading zod for a failure that is not its own would slow the start of every command.
function isZodError(failure: unknown): failure is ZodError {
  return failure instanceof Error && failure.name === 'ZodError';
}
