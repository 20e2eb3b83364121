import type { ZodError } from 'zod';
import { FailureError, type FailureKind } from '../../failure.ts';
import { withFlags } from './option-text.ts';

/** Exit codes of every command: a public contract. */
export const exitCode = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  invalidData: 3,
  network: 4,
  refused: 5,
} as const;

const exitOf: Readonly<Record<FailureKind, number>> = {
  data: exitCode.invalidData,
  formula: exitCode.usage,
  usage: exitCode.usage,
  network: exitCode.network,
  policy: exitCode.refused,
};

/** Says what went wrong and what to do, on stderr, and gives the exit code. */
export function explainFailure(failure: unknown): number {
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

function explain(problem: string, remedy: string, code: number): number {
  process.stderr.write(`suffice: ${problem}\n  → ${remedy}\n`);
  return code;
}

function isSystemError(failure: unknown): failure is NodeJS.ErrnoException {
  return failure instanceof Error && 'code' in failure && 'path' in failure;
}

// By name, because loading zod for a failure that is not its own would cost every command its start.
function isZodError(failure: unknown): failure is ZodError {
  return failure instanceof Error && failure.name === 'ZodError';
}
