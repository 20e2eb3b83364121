import { answerText } from '../analysis/answer-text.ts';
import { plainInk } from '../model/text-table.ts';
import type { ExportedModel } from './exported-model.ts';
import { section } from './html-table.ts';
import { escapeHtml } from './html-text.ts';

/** Answers without a picture of their own, as a terminal shows them. */
const inWords: readonly string[] = [
  'comparison',
  'contrast',
  'trend',
  'prediction',
  'discriminant',
  'partial-correlations',
  'collinearity',
  'components',
];

/** Whatever else was asked of the model. */
export function furtherAnswers({ answers = [] }: ExportedModel): string {
  const shown = answers.filter(
    (answer) => inWords.includes(answer.about) && !('problem' in answer),
  );
  const blocks = shown.map(
    (answer) => `<pre tabindex="0">${escapeHtml(answerText(answer, plainInk).trimEnd())}</pre>`,
  );
  return section('Further answers', blocks);
}
