import { alignDecimals, grouped, significant } from '../text/number-text.ts';
import { type Ink, layOut, plainInk } from '../text/text-table.ts';
import type { Influence } from './influence.ts';

const MOST_LINES = 30;

/** One line per site; those that move the model most come first. */
export function influenceText({ sites }: Influence, ink: Ink = plainInk): string {
  const ranked = [...sites].sort((a, b) => size(b) - size(a));
  const shown = ranked.slice(0, MOST_LINES);
  const lines = layOut(
    [
      ['', ...shown.map(({ site }) => site)],
      ['Rows', ...shown.map(({ n }) => grouped(n))],
      [
        "Cook's D",
        ...alignDecimals(
          shown.map(({ cook }) => (cook === undefined ? '–' : significant(cook, 3))),
        ),
      ],
      [
        'Largest change (SE)',
        ...alignDecimals(shown.map(({ largest }) => significant(largest?.change ?? 0, 3))),
      ],
      ['of', ...shown.map(({ largest }) => largest?.term ?? '–')],
      [
        'Only here',
        ...shown.map(({ changes }) => {
          const lost = changes.filter((change) => change === null).length;
          if (lost === 0) return '';
          return lost === 1 ? '1 term' : `${lost} terms`;
        }),
      ],
    ],
    ink,
  );
  const left = ranked.length - shown.length;
  const rest = left > 0 ? [ink.faint(`and ${left} more that move it less`)] : [];
  const title = ink.bold('Influence: how the model changes without each site');
  const note = ranked.some(({ changes }) => changes.some((change) => change === null))
    ? [ink.faint('only here: terms that the other sites cannot estimate')]
    : [];
  return `${[title, ...lines, ...rest, ...note].join('\n')}\n`;
}

/** A site without which a term cannot be estimated comes first. */
function size({ cook }: Influence['sites'][number]): number {
  return cook ?? Number.POSITIVE_INFINITY;
}
