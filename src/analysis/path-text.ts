import { alignDecimals, significant } from '../model/number-text.ts';
import { type Ink, layOut } from '../model/text-table.ts';
import type { Path } from './path.ts';

const POINTS = 12;
const MOST_TERMS = 40;
const BARS = '▁▂▃▄▅▆▇█';

/** A dozen points of a path with what they cost, and how each slope grows from the strong end to the weak. */
export function pathText({ kind, terms, points, scales }: Path, ink: Ink): string {
  const shown = Array.from(
    { length: Math.min(POINTS, points.length) },
    (_, k) => points[Math.round((k * (points.length - 1)) / Math.max(1, POINTS - 1))],
  );
  const column = (title: string, values: readonly number[], digits: number) => [
    title,
    ...alignDecimals(values.map((value) => significant(value, digits))),
  ];
  const costs = layOut(
    [
      [
        kind === 'ridge' ? 'ridge' : 'lambda',
        ...shown.map(({ penalty }) => penalty.toExponential(2)),
      ],
      kind === 'ridge'
        ? column(
            'edf',
            shown.map(({ edf }) => edf),
            4,
          )
        : ['coefficients', ...shown.map(({ edf }) => String(edf))],
      column(
        'R²',
        shown.map((point) => point['r.squared']),
        4,
      ),
      ...(shown.every(({ gcv }) => gcv !== undefined)
        ? [
            column(
              'GCV',
              shown.map(({ gcv }) => gcv as number),
              5,
            ),
          ]
        : []),
    ],
    ink,
  );
  const perSd = terms.map((_, j) => shown.map(({ coefficients }) => coefficients[j] * scales[j]));
  const highest = Math.max(...perSd.flat().map(Math.abs));
  const listed = terms.slice(0, MOST_TERMS);
  const growth = layOut(
    [
      ['slope per SD', ...listed],
      ['strong → weak', ...listed.map((_, j) => sparkline(perSd[j], highest))],
      column(
        'at the end',
        listed.map((_, j) => perSd[j][shown.length - 1]),
        4,
      ),
    ],
    ink,
  );
  const rest = terms.length - listed.length;
  const title = ink.bold(kind === 'ridge' ? 'Along the ridge' : 'Along the lasso’s lambda');
  return [
    title,
    ...costs,
    '',
    ...growth,
    ...(rest > 0 ? [ink.faint(`and ${rest} more`)] : []),
  ].join('\n');
}

/** Sizes against the largest of all slopes; a dot where a slope is zero. */
function sparkline(values: readonly number[], highest: number): string {
  return values
    .map((value) => {
      if (value === 0) return '·';
      return BARS[Math.min(BARS.length - 1, Math.floor((Math.abs(value) / highest) * BARS.length))];
    })
    .join('');
}
