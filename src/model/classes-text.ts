import { ruleText } from '../study/rule-text.ts';
import { alignDecimals, grouped, significant } from '../text/number-text.ts';
import { type Ink, layOut, layOutBlocks } from '../text/text-table.ts';
import type { Report, ResponseReport } from './report.ts';
import type { ReportedClasses } from './reported-classes.ts';
import { reportedMap } from './reported-map.ts';

/** Most coefficients of a response that a page of text shows. */
const MOST_TERMS = 100;

/** The first coefficients of a response, and what is left out. */
export function shownTerms<Row>(rows: readonly Row[]): {
  readonly shown: readonly Row[];
  readonly more?: string;
} {
  if (rows.length <= MOST_TERMS) return { shown: rows };
  const more = `… and ${grouped(rows.length - MOST_TERMS)} more coefficients: the JSON of the report has all`;
  return { shown: rows.slice(0, MOST_TERMS), more };
}

/** Whether a report shows its classes in place of coefficients: tables of coefficients would fill pages, or are scores. */
export function showsClasses({ classes, classifier, responses = [] }: Report): boolean {
  if (classes === undefined) return false;
  return classifier !== undefined || responses.some(({ terms }) => terms.length > MOST_TERMS);
}

/** The classes with their sizes, and their scores where these fit a page. */
export function classesText(report: Report, ink: Ink): string[] {
  const { classes = [], classifier } = report;
  const responses = scoredResponses(report);
  const widest = Math.max(0, ...responses.map(({ terms }) => terms.length));
  const isListed = widest <= MOST_TERMS && reportedMap(report)?.map.opaque !== true;
  return [
    ...classes.map((one) => sizesText(one, report, ink)),
    ...(classifier !== undefined && isListed ? [scoresText(responses, classes, ink)] : []),
    ...(isListed
      ? []
      : [`${grouped(widest)} coefficients for each class: the JSON of the report has them`]),
    ...(classifier === undefined ? [] : [classifierText(classifier), leftOutText(report)]),
  ].filter((text) => text !== '');
}

/** Most names in a line about what is left out. */
const MOST_NAMES = 10;

/** The columns and classes without a score: a column that tells classes apart may be among them. */
function leftOutText({ aliased, responses = [], classes = [] }: Report): string {
  const empty = responses.filter(({ terms }) => terms.length === 0);
  const label = classes[0]?.label ?? '';
  return [
    ...(aliased.length === 0
      ? []
      : [
          `not in the scores, since they are constant within each class or follow from the others: ${someOf(aliased)}`,
        ]),
    ...(empty.length === 0
      ? []
      : [
          `never predicted, for lack of rows: ${someOf(empty.map(({ response }) => levelIn(response, label)))}`,
        ]),
  ].join('\n');
}

function someOf(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(', ') + (rest > 0 ? ` and ${grouped(rest)} more` : '');
}

/** The responses; a comparison has one, the score of its second level when that of the first is 0. */
function scoredResponses({
  responses,
  terms = [],
  n,
  classes = [],
}: Report): readonly ResponseReport[] {
  const response = classes[0]?.levels.at(-1)?.level ?? '';
  return responses ?? [{ response, terms, glance: { nobs: n } }];
}

function sizesText(
  { label, levels }: ReportedClasses,
  { responses = [] }: Report,
  ink: Ink,
): string {
  const sizes = levels.flatMap(({ n }) => n ?? []);
  if (sizes.length < levels.length) {
    return `${ink.bold(`Classes of ${label}`)}\n${levels.map(({ level }) => level).join(', ')}`;
  }
  const all = sizes.reduce((sum, n) => sum + n, 0);
  const squares = levels.map(
    ({ level }) =>
      responses.find(({ response }) => response === `${label}${level}`)?.glance['r.squared'],
  );
  const table = layOut(
    [
      ['', ...levels.map(({ level }) => level)],
      ['rows', ...sizes.map((n) => (Number.isInteger(n) ? grouped(n) : significant(n, 4)))],
      ['share', ...sizes.map((n) => `${((100 * n) / all).toFixed(1)} %`)],
      ...(squares.every((square) => square === undefined)
        ? []
        : [
            [
              'R-squared',
              ...squares.map((square) => (square === undefined ? '' : significant(square, 4))),
            ],
          ]),
    ],
    ink,
  );
  return [ink.bold(`Classes of ${label}`), ...table].join('\n');
}

function scoresText(
  responses: readonly ResponseReport[],
  [{ label }]: readonly ReportedClasses[],
  ink: Ink,
): string {
  const known = responses.filter(({ terms }) => terms.length > 0);
  const columns = known.map(({ response, terms }) => [
    levelIn(response, label),
    ...alignDecimals(terms.map(({ estimate }) => significant(estimate, 4))),
  ]);
  return [
    ink.bold('Scores: the probability of a class is its share of exp(score)'),
    ...layOutBlocks([['', ...known[0].terms.map(({ term }) => term)], ...columns], ink),
  ].join('\n');
}

/** The level that a response stands for. */
function levelIn(response: string, label: string): string {
  return response.startsWith(label) ? response.slice(label.length) : response;
}

function classifierText(classifier: NonNullable<Report['classifier']>): string {
  if (classifier.kind === 'softmax') return 'The probability of a class is its share of exp(score)';
  const { kind, shrinkage, rule, flat } = classifier;
  if (kind === 'naive-bayes') return 'Naive Bayes: one variance a column for all classes';
  const chosen = rule === 'given' ? 'given' : `chosen by ${ruleText(rule)}`;
  const range =
    flat === undefined
      ? ''
      : `\nbetween ${significant(flat[0], 3)} and ${significant(flat[1], 3)} the score hardly changes`;
  return `Discriminant analysis: covariance shrunk by ${significant(shrinkage)} (${chosen})${range}`;
}
