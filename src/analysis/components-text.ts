import { type Ink, layOut } from '../model/text-table.ts';
import type { Components } from './components.ts';
import { numberColumn } from './number-column.ts';

const MOST_COMPONENTS = 6;

/** R's summary of prcomp, then the loadings of the first components. */
export function componentsText({ columns, components }: Components, ink: Ink): string {
  const shown = components.slice(0, MOST_COMPONENTS);
  const rest = components.length - shown.length;
  return [
    ink.bold('Principal components of the standardised predictors'),
    ...layOut(
      [
        ['', ...components.map((_, k) => `PC${k + 1}`)],
        numberColumn(
          'SD',
          components.map(({ sd }) => sd),
          4,
        ),
        numberColumn(
          'Proportion',
          components.map(({ proportion }) => proportion),
          4,
        ),
        numberColumn(
          'Cumulative',
          components.map(({ cumulative }) => cumulative),
          4,
        ),
      ],
      ink,
    ),
    '',
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
    ...(rest > 0 ? [ink.faint(`… and ${rest} more components`)] : []),
  ].join('\n');
}
