import type { ZodError } from 'zod';
import { FailureError, type FailureKind } from '../failure.ts';
import { visibleLines } from '../text/visible-text.ts';
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
  EACCES: 'not readable',
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

/** Prints the problem and the remedy, and gives the exit code. */
export function explainFailure(failure: unknown, stderr: OutputStream): number {
  const explain = (problem: string, remedy: string, code: number): number => {
    stderr.write(visibleLines(`suffice: ${problem}\n  → ${remedy}\n`));
    return code;
  };
  if (failure instanceof CommandEnd) return failure.code;
  if (failure instanceof FailureError) {
    return explain(
      failure.message,
      withFlags(failure.remedy, failure.option),
      exitOf[failure.kind],
    );
  }
  if (isZodError(failure)) {
    const issue = failure.issues[0];
    const where = issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
    return explain(
      `${where}${issue.message}`,
      'correct the file and try again',
      exitCode.invalidData,
    );
  }
  const disk = diskProblems[codeOf(failure)];
  if (disk !== undefined) {
    const [problem, remedy] = disk;
    const { path } = failure as NodeJS.ErrnoException;
    return explain(
      path === undefined ? problem : `${path}: ${problem}`,
      remedy,
      exitCode.invalidData,
    );
  }
  if (isSystemError(failure)) {
    const problem = systemProblems[failure.code ?? ''] ?? failure.code;
    return explain(`${failure.path}: ${problem}`, 'check the path', exitCode.invalidData);
  }
  const text = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  return explain(text, 'this is a bug in suffice; please report it', exitCode.unexpected);
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
