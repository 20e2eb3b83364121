import type { ColumnsAt } from '../aggregation/aggregation.ts';
import type { Agreement } from '../federate.ts';
import { visibleText } from '../text/visible-text.ts';
import { columnLines } from './cells-text.ts';
import { wrapped } from './wrapped.ts';

/** The columns that each party brings, and the key that links their rows; undefined where every site has all columns. */
export function partiesText({ columns, aggregation }: Agreement): string[] | undefined {
  const { columnsAt } = aggregation;
  if (columnsAt === undefined) return undefined;
  const used = Object.entries(columnsAt.parties).map(
    ([party, names]) => [party, columns.filter(({ name }) => names.includes(name))] as const,
  );
  return [
    'Each party brings columns of its own, about the same people:',
    ...used.flatMap(([party, own]) => [
      `  ${visibleText(party)}`,
      ...columnLines(own).map((line) => `  ${line}`),
    ]),
    'The file of every party also has the key columns:',
    ...keyLines(columnsAt),
  ];
}

/** The key columns, pass by pass. */
function keyLines({ passes }: Pick<ColumnsAt, 'passes'>): string[] {
  return passes.flatMap((names, k) => {
    const key = names.map((name) => visibleText(name)).join(', ');
    return wrapped(k === 0 ? '  rows are linked by  ' : '  or else by          ', key);
  });
}
