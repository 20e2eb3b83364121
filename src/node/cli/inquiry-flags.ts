import type { Command } from 'commander';
import type { Inquiry } from '../../analysis/inquiry.ts';
import { collect } from './flags.ts';
import { type MethodFlags, methodOf, withMethod } from './method-flags.ts';
import { type QuestionFlags, questionsOf, withQuestions } from './question-flags.ts';

/** Flags that look once more at what sites have sent: another method, fewer terms, more questions. */
export interface InquiryFlags extends MethodFlags, QuestionFlags {
  readonly without: readonly string[];
}

export function withInquiry(command: Command): Command {
  return withQuestions(withMethod(command)).option(
    '--without <term>',
    'make the model without a term (repeatable)',
    collect,
    [],
  );
}

export function inquiryOf(flags: InquiryFlags): Inquiry {
  const method = methodOf(flags);
  return {
    ...(method === undefined ? {} : { method }),
    ...(flags.without.length === 0 ? {} : { without: flags.without }),
    questions: questionsOf(flags),
  };
}

/** Whether the flags ask for more than the study's own report. */
export function isOwnReport({ method, without, questions }: Inquiry): boolean {
  return method === undefined && without === undefined && questions.length === 0;
}
