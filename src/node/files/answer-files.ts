import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SourceVersion } from '../../rows/source.ts';
import { readAnswers } from '../../sql/read-answers.ts';
import type { SqlAnswer } from '../../sql/sql-answer.ts';

/** The answers in some files, and what tells these files from others. */
export function readAnswerFiles(paths: readonly string[]): {
  readonly answers: readonly SqlAnswer[];
  readonly source: SourceVersion;
} {
  const states = paths.map((path) => statSync(path));
  return {
    answers: paths.flatMap((path) => readAnswers(readFileSync(path, 'utf8'), path)),
    source: {
      path: paths.map((path) => resolve(path)).join(', '),
      size: states.reduce((sum, { size }) => sum + size, 0),
      modified: states.reduce((latest, { mtimeMs }) => Math.max(latest, mtimeMs), 0),
    },
  };
}
