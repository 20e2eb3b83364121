import type { ZodError } from 'zod';
import { DataError } from '../../data-error.ts';
import { NetworkFailure } from '../../protocol/network-failure.ts';
import { Refusal, type RefusalCode } from '../../protocol/refusal.ts';
import { FormulaError } from '../../study/formula.ts';
import { inFlagWords } from './flag-words.ts';

/** Exit codes of every command: a public contract. */
export const exitCode = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  invalidData: 3,
  network: 4,
  refused: 5,
} as const;

/** A mistake in how the command was called. */
export class UsageError extends Error {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.name = 'UsageError';
    this.remedy = remedy;
  }
}

/** Says what went wrong and what to do, on stderr, and gives the exit code. */
export function explainFailure(failure: unknown): number {
  if (failure instanceof DataError)
    return explain(failure.message, failure.remedy, exitCode.invalidData);
  if (failure instanceof FormulaError)
    return explain(failure.message, failure.remedy, exitCode.usage);
  if (failure instanceof UsageError)
    return explain(failure.message, failure.remedy, exitCode.usage);
  if (failure instanceof NetworkFailure)
    return explain(failure.message, failure.remedy, exitCode.network);
  if (failure instanceof Refusal)
    return explain(failure.message, failure.remedy, exitOfRefusal(failure.code));
  if (isZodError(failure)) {
    const issue = failure.issues[0];
    const where = issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
    return explain(
      `${where}${issue.message}`,
      'correct the file and try again',
      exitCode.invalidData,
    );
  }
  if (isSystemError(failure)) {
    const what = {
      ENOENT: 'no such file',
      EACCES: 'not readable',
      EISDIR: 'is a folder, not a file',
    };
    const problem = what[failure.code as keyof typeof what] ?? failure.code;
    return explain(`${failure.path}: ${problem}`, 'check the path', exitCode.invalidData);
  }
  const text = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  return explain(text, 'this is a bug in suffice; please report it', exitCode.unexpected);
}

/** What the coordinator found wrong with the data is invalid data; the rest is policy or network. */
function exitOfRefusal(code: RefusalCode): number {
  if (code === 'unprocessable' || code === 'bad-request' || code === 'too-large') {
    return exitCode.invalidData;
  }
  if (code === 'too-many-requests' || code === 'store-unavailable') return exitCode.network;
  return exitCode.refused;
}

function explain(problem: string, remedy: string, code: number): number {
  process.stderr.write(`suffice: ${problem}\n  → ${inFlagWords(remedy)}\n`);
  return code;
}

function isSystemError(failure: unknown): failure is NodeJS.ErrnoException {
  return failure instanceof Error && 'code' in failure && 'path' in failure;
}

// By name, because loading zod for a failure that is not its own would cost every command its start.
function isZodError(failure: unknown): failure is ZodError {
  return failure instanceof Error && failure.name === 'ZodError';
}
