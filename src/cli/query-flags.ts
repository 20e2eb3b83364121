import type { Command } from 'commander';
import type { Query } from '../analysis/query.ts';
import { defined } from '../defined.ts';
import { repeatedFlag } from './flags.ts';
import { type MethodFlags, methodFromFlags, withMethod } from './method-flags.ts';
import { type QuestionFlags, questionsOf, withQuestions } from './question-flags.ts';

/** Flags that analyse the sums of the sites again: another method, fewer terms, more questions. */
export interface QueryFlags extends MethodFlags, QuestionFlags {
  readonly without: readonly string[];
}

export function withQueryFlags(command: Command): Command {
  return withQuestions(withMethod(command)).option(
    '--without <term>',
    'make the model without a term (repeatable)',
    repeatedFlag,
    [],
  );
}

export function queryFromFlags(flags: QueryFlags): Query {
  const method = methodFromFlags(flags);
  return {
    ...defined({ method }),
    ...(flags.without.length === 0 ? {} : { without: flags.without }),
    questions: questionsOf(flags),
  };
}

/** Whether the flags ask for more than the study's own report. */
export function isOwnReport({ method, without, questions }: Query): boolean {
  return method === undefined && without === undefined && questions.length === 0;
}
