import { answerText } from '../analysis/answer-text.ts';
import { type TopicName, topics } from '../analysis/topics.ts';
import { plainInk } from '../model/text-table.ts';
import type { ExportedModel } from './exported-model.ts';
import { section } from './html-table.ts';
import { escapeHtml } from './html-text.ts';

/** Answers that other sections show, and the covariance, which is for programs. */
const elsewhere: readonly TopicName[] = [
  'anova',
  'description',
  'standardized',
  'covariance',
  'path',
  'heterogeneity',
  'influence',
  'coverage',
  'sanity',
];

const inWords: ReadonlySet<string> = new Set(
  (Object.keys(topics) as TopicName[]).filter((name) => !elsewhere.includes(name)),
);

/** Whatever else was asked of the model, as a terminal shows it. */
export function furtherAnswers({ answers = [] }: ExportedModel): string {
  const shown = answers.filter((answer) => inWords.has(answer.about) && !('problem' in answer));
  const blocks = shown.map(
    (answer) => `<pre tabindex="0">${escapeHtml(answerText(answer, plainInk).trimEnd())}</pre>`,
  );
  return section('Further answers', blocks);
}
