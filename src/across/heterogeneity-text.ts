import { alignDecimals, probability, significant } from '../model/number-text.ts';
import { type Ink, layOut, plainInk } from '../model/text-table.ts';
import { chiSquareTailLog, fTailLog } from '../numeric/distributions.ts';
import type { Heterogeneity, TermHeterogeneity } from './heterogeneity.ts';

const PLOT_WIDTH = 41;
const MOST_LINES = 30; // sites of a term to draw, the most precise first
const REACH = 1.96;

/** The answer in words, a line a term, and a forest plot of every term whose sites differ beyond chance. */
export function heterogeneityText(answer: Heterogeneity, ink: Ink = plainInk): string {
  const { chow, cochran, terms, without } = answer;
  const parts: string[] = [];
  if (chow !== undefined) {
    const { statistic, df, 'df.residual': rest } = chow;
    parts.push(
      `One model for all sites against one each: F = ${significant(statistic, 4)} on ${df} and ${rest} DF, ` +
        `p = ${probability(fTailLog(statistic, df, rest))} (Chow)`,
    );
  }
  if (cochran !== undefined) {
    const { Q, df } = cochran;
    const p = probability(chiSquareTailLog(Q, df));
    parts.push(
      `One model for all sites against one each: Q = ${significant(Q, 4)} on ${df} DF, p = ${p} (Cochran)`,
    );
  }
  if (terms.length > 0) parts.push(layOut(termColumns(terms), ink).join('\n'));
  const differing = terms.filter((term) => term['p.value'] < 0.05);
  for (const term of differing) parts.push(forest(term, ink));
  if (without.length > 0) {
    const lines = without.map(({ site, reason }) => `${site}: ${reason}`);
    parts.push([ink.faint('Not compared term by term:'), ...lines].join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}

function termColumns(terms: readonly TermHeterogeneity[]): string[][] {
  const column = (title: string, text: (term: TermHeterogeneity) => string) => [
    title,
    ...alignDecimals(terms.map(text)),
  ];
  return [
    ['', ...terms.map(({ term }) => term)],
    column('Sites', ({ sites }) => String(sites.length)),
    column('Mean', ({ estimate }) => significant(estimate)),
    column('Std. Error', (term) => significant(term['std.error'])),
    column('Q', ({ Q }) => significant(Q, 4)),
    column('df', ({ df }) => String(df)),
    column('Pr(>Q)', ({ Q, df }) => probability(chiSquareTailLog(Q, df))),
    column('I² %', ({ I2 }) => I2.toFixed(1)),
    column('tau²', ({ tau2 }) => significant(tau2, 4)),
  ];
}

/** One line a site: its estimate with a 95 % interval, and the common mean as a bar. */
function forest({ term, estimate, sites }: TermHeterogeneity, ink: Ink): string {
  const shown = [...sites].sort((a, b) => a['std.error'] - b['std.error']).slice(0, MOST_LINES);
  const ends = shown.flatMap(({ estimate: b, 'std.error': e }) => [b - REACH * e, b + REACH * e]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const place = (value: number) => Math.round(((value - low) / (high - low)) * (PLOT_WIDTH - 1));
  const bars = shown.map(({ estimate: b, 'std.error': e }) => {
    const cells = new Array<string>(PLOT_WIDTH).fill(' ');
    for (let k = place(b - REACH * e); k <= place(b + REACH * e); k++) cells[k] = '─';
    cells[place(estimate)] = '│';
    cells[place(b)] = '●';
    return cells.join('');
  });
  const title = `${term}: ${significant(low, 3)} to ${significant(high, 3)}`;
  const lines = layOut(
    [
      [title, ...shown.map(({ site }) => site)],
      ['Estimate', ...alignDecimals(shown.map(({ estimate: b }) => significant(b)))],
      ['Std. Error', ...alignDecimals(shown.map((site) => significant(site['std.error'])))],
      ['', ...bars],
    ],
    ink,
  );
  const left = sites.length - shown.length;
  return [...lines, ...(left > 0 ? [ink.faint(`and ${left} less precise sites`)] : [])].join('\n');
}
