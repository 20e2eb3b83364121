import type { Answered } from '../analysis/question.ts';
import { baselinesText } from '../features/term-text.ts';
import { modelNames } from '../model/model-names.ts';
import type { Report } from '../model/report.ts';
import { reportText } from '../model/report-text.ts';
import { isImageStudy } from '../study/image-study.ts';
import type { Study } from '../study/study.ts';
import { finiteJson } from '../text/finite-json.ts';
import { visibleJson, visibleLines } from '../text/visible-text.ts';
import type { Io } from './io.ts';
import { inkFor } from './terminal-text.ts';

/** Prints a report, then the answers to further questions. */
export async function printResult(
  study: Study,
  report: Report,
  answers: readonly Answered[],
  { json }: { readonly json?: boolean },
  io: Io,
): Promise<void> {
  if (json === true) {
    io.stdout.write(
      `${visibleJson(finiteJson(answers.length === 0 ? report : { ...report, answers }))}\n`,
    );
    return;
  }
  const ink = inkFor(io);
  const shown = isImageStudy(study) ? 'fit alone' : 'coefficients';
  const parts = [reportText(report, ink, baselinesText(modelNames(study, report)), shown)];
  if (answers.length > 0) {
    const { answersText } = await import('../analysis/answer-text.ts');
    parts.push(...answersText(answers, ink));
  }
  const text = visibleLines(parts.map((part) => part.trimEnd()).join('\n\n'));
  io.stdout.write(`\n${text}\n\n`);
}
