import { alignDecimals, grouped, listed, significant } from '../text/number-text.ts';
import { type Ink, layOut, plainInk } from '../text/text-table.ts';
import type { Coverage } from './coverage.ts';

const MOST_LINES = 30;
const MOST_WEIGHTS = 4;

/** The spectrum in words, one line per site, and the directions known from one site alone. */
export function coverageText(answer: Coverage, ink: Ink = plainInk): string {
  const { alpha, rank, columns, sites, alone, uncovered, bound } = answer;
  const sections = [
    [
      ink.bold('Coverage: where the rows of the sites vary'),
      `All sites together cover ${rank} of ${columns} ${columns === 1 ? 'direction' : 'directions'}; the least covered holds`,
      `${significant(alpha, 3)} of a column's variance (smallest eigenvalue of the correlations).`,
      ...(uncovered.length > 0 ? [`Covered by no site: ${listed(uncovered)}`] : []),
    ].join('\n'),
  ];
  const weakest = [...sites].sort((a, b) => a.rank - b.rank || a.alpha - b.alpha);
  const shown = weakest.slice(0, MOST_LINES);
  const left = sites.length - shown.length;
  sections.push(
    [
      ...layOut(
        [
          ['', ...shown.map(({ site }) => site)],
          ['Rows', ...shown.map(({ n }) => grouped(n))],
          ['Directions', ...shown.map((site) => String(site.rank))],
          ['Least', ...alignDecimals(shown.map((site) => significant(site.alpha, 3)))],
        ],
        ink,
      ),
      ...(left > 0 ? [ink.faint(`and ${left} more that cover more`)] : []),
    ].join('\n'),
  );
  if (alone.length > 0) {
    const lines = alone.slice(0, MOST_LINES).map(({ site, share, direction }) => {
      const named = direction
        .slice(0, MOST_WEIGHTS)
        .map(
          ({ term, weight }) => `${weight < 0 ? '−' : '+'}${Math.abs(weight).toFixed(2)} ${term}`,
        );
      const rest = direction.length > MOST_WEIGHTS ? ' …' : '';
      return `${site}: ${(100 * share).toFixed(1)} % of ${named.join(' ')}${rest}`;
    });
    const title = ink.faint('Known from one site alone (per SD of the columns):');
    const rest = alone.length - lines.length;
    sections.push(
      [title, ...lines, ...(rest > 0 ? [ink.faint(`and ${rest} more`)] : [])].join('\n'),
    );
  }
  if (bound !== undefined) {
    const { bias, noise, confidence } = bound;
    sections.push(
      [
        `With ${100 * confidence} % confidence ‖b − b*‖ ≤ ${bias === 0 ? '' : `${significant(bias, 3)}·‖b*‖ + `}${significant(noise, 3)}: b the slopes per SD of their columns,`,
        'b* the true ones, if the model is right and its noise normal.',
      ].join('\n'),
    );
  }
  return `${sections.join('\n\n')}\n`;
}
