import type { Answered } from '../../analysis/question.ts';
import { finiteJson, type Report } from '../../model/report.ts';
import { reportText } from '../../model/report-text.ts';
import { inkFor } from './ink.ts';

/** A report on stdout and, where more was asked, the answers behind it. */
export async function printFindings(
  report: Report,
  answers: readonly Answered[],
  { json }: { readonly json?: boolean },
): Promise<void> {
  if (json === true) {
    process.stdout.write(`${finiteJson(answers.length === 0 ? report : { ...report, answers })}\n`);
    return;
  }
  const ink = inkFor(process.stdout);
  const parts = [reportText(report, ink)];
  if (answers.length > 0) {
    const { answersText } = await import('../../analysis/answer-text.ts');
    parts.push(...answersText(answers, ink));
  }
  process.stdout.write(`\n${parts.map((part) => part.trimEnd()).join('\n\n')}\n\n`);
}
