import { listed } from '../model/list-text.ts';
import { alignDecimals, grouped, significant } from '../model/number-text.ts';
import { type Ink, plainInk } from '../model/text-table.ts';
import { layOutBlocks } from '../model/wide-table-text.ts';
import type { Discriminant } from './discriminant.ts';

/** The classes side by side: size, prior, means, and the scores whose softmax is the posterior. */
export function discriminantText(answer: Discriminant, ink: Ink = plainInk): string {
  const { label, terms, classes, aliased, empty, ridge, separation } = answer;
  const names = ['', ...classes.map(({ level }) => level)];
  const column = (title: string, values: readonly number[]): string[] => [
    title,
    ...alignDecimals(values.map((value) => significant(value, 4))),
  ];
  const means = layOutBlocks(
    [
      names,
      ['rows', ...classes.map(({ n }) => (Number.isInteger(n) ? grouped(n) : significant(n, 4)))],
      column(
        'prior',
        classes.map(({ prior }) => prior),
      ),
      ...terms.map((term, j) =>
        column(
          term,
          classes.map((one) => one.means[j]),
        ),
      ),
    ],
    ink,
  );
  const scores = layOutBlocks(
    [
      ['', '(constant)', ...terms],
      ...classes.map(({ level, constant, coefficients }) =>
        column(level, [constant, ...coefficients]),
      ),
    ],
    ink,
  );
  const notes = [
    ridge > 0 ? `a ridge of ${significant(ridge)} is added to the scatter within classes` : '',
    aliased.length > 0 ? `left out as combinations of others: ${listed(aliased)}` : '',
    empty.length > 0 ? `levels without rows: ${listed(empty)}` : '',
    separation === undefined
      ? ''
      : `distance ${significant(separation.distance, 4)} SD; AUC ${significant(separation.auc, 4)} if the scores are normal, on the rows fitted`,
  ].filter((note) => note !== '');
  return [
    ink.bold(`Discriminant analysis of ${label}`),
    '',
    'Means of the classes',
    ...means,
    '',
    'Scores: the probability of a class is its share of exp(score)',
    ...scores,
    ...(notes.length > 0 ? ['', ...notes] : []),
  ].join('\n');
}
