import { type Ink, layOut } from '../model/text-table.ts';
import type { Components } from './components.ts';
import { numberColumn } from './number-column.ts';

const MOST_COMPONENTS = 30;
const MOST_LOADINGS = 6;

/** R's summary of prcomp, then the loadings of the first components. */
export function componentsText({ columns, components }: Components, ink: Ink): string {
  const first = components.slice(0, MOST_COMPONENTS);
  const shown = components.slice(0, MOST_LOADINGS);
  const more = (drawn: number) =>
    drawn < components.length
      ? [ink.faint(`and ${components.length - drawn} more components`)]
      : [];
  return [
    ink.bold('Principal components of the standardised predictors'),
    ...layOut(
      [
        ['', ...first.map((_, k) => `PC${k + 1}`)],
        numberColumn(
          'SD',
          first.map(({ sd }) => sd),
          4,
        ),
        numberColumn(
          'Proportion',
          first.map(({ proportion }) => proportion),
          4,
        ),
        numberColumn(
          'Cumulative',
          first.map(({ cumulative }) => cumulative),
          4,
        ),
      ],
      ink,
    ),
    ...more(first.length),
    '',
    ink.bold('Loadings'),
    ...layOut(
      [
        ['', ...columns],
        ...shown.map(({ loadings }, k) => [
          `PC${k + 1}`,
          ...loadings.map((loading) => loading.toFixed(3)),
        ]),
      ],
      ink,
    ),
    ...more(shown.length),
  ].join('\n');
}
