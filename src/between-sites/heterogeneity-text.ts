import { chiSquareTailLog, fTailLog } from '../numeric/distributions.ts';
import { alignDecimals, listed, probability, significant } from '../text/number-text.ts';
import { type Ink, layOut, layOutBlocks, plainInk } from '../text/text-table.ts';
import type { Heterogeneity, TermHeterogeneity } from './heterogeneity.ts';

const PLOT_WIDTH = 41;
const MOST_LINES = 20; // sites of a term to draw, the most precise first
const MOST_FORESTS = 4; // terms, those whose sites differ most first
const MOST_REASONS = 12;
const REACH = 1.96;

/** The tests, one line per term, and a forest plot of every term whose sites differ by more than chance. */
export function heterogeneityText(answer: Heterogeneity, ink: Ink = plainInk): string {
  const { chow, cochran, terms, without } = answer;
  const tests: string[] = [ink.bold('Heterogeneity: do the sites agree?')];
  if (chow !== undefined) {
    const { statistic, df, 'df.residual': rest } = chow;
    tests.push(
      `One model for all sites against one each: F = ${significant(statistic, 4)} on ${df} and ${rest} DF, ` +
        `p = ${probability(fTailLog(statistic, df, rest))} (Chow)`,
    );
  }
  if (cochran !== undefined) {
    const { Q, df } = cochran;
    const p = probability(chiSquareTailLog(Q, df));
    tests.push(
      `One model for all sites against one each: Q = ${significant(Q, 4)} on ${df} DF, p = ${p} (Cochran)`,
    );
  }
  const sections = [tests.join('\n')];
  if (terms.length > 0) {
    const note = 'Mean: by precision (fixed effect); Q: Cochran; tau²: DerSimonian–Laird';
    sections.push([...layOutBlocks(termColumns(terms), ink), ink.faint(note)].join('\n'));
  }
  const differing = terms
    .filter((term) => term['p.value'] < 0.05)
    .sort((a, b) => a['p.value'] - b['p.value']);
  for (const term of differing.slice(0, MOST_FORESTS)) sections.push(forest(term, ink));
  const undrawn = differing.slice(MOST_FORESTS).map(({ term }) => term);
  if (differing.length > 0) {
    const legend = ink.faint('● a site, ─ its 95 % interval, │ the mean of all');
    const more = undrawn.length === 0 ? [] : [`Not drawn, differ too: ${listed(undrawn)}`];
    sections.push([legend, ...more].join('\n'));
  }
  if (without.length > 0) {
    const lines = without.slice(0, MOST_REASONS).map(({ site, reason }) => `${site}: ${reason}`);
    const rest = without.length - lines.length;
    const more = rest > 0 ? [ink.faint(`and ${rest} more`)] : [];
    sections.push([ink.faint('Not compared term by term:'), ...lines, ...more].join('\n'));
  }
  return `${sections.join('\n\n')}\n`;
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

/** One line per site: its estimate with a 95 % interval, and the common mean as a bar. */
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
  const title = ink.bold(`${term}, from ${significant(low, 3)} to ${significant(high, 3)}`);
  const lines = layOut(
    [
      ['', ...shown.map(({ site }) => site)],
      ['Estimate', ...alignDecimals(shown.map(({ estimate: b }) => significant(b)))],
      ['Std. Error', ...alignDecimals(shown.map((site) => significant(site['std.error'])))],
      ['', ...bars],
    ],
    ink,
  );
  const left = sites.length - shown.length;
  return [title, ...lines, ...(left > 0 ? [ink.faint(`and ${left} more, less precise`)] : [])].join(
    '\n',
  );
}
