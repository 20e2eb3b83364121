import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { csvText } from '../../src/text/csv-text.ts';
import { CopyButton } from './copy-button.tsx';
import { ScrollArea } from './scroll-area.tsx';

/** A cell: the value for sorting and copying, and the content shown. */
export interface DataCell {
  readonly value: string | number | null;
  readonly shown?: ComponentChildren;
}

export interface TableColumn {
  readonly name: string;
  readonly numeric?: boolean;
}

interface DataTableProps {
  readonly label: string;
  readonly columns: readonly TableColumn[];
  /** The first cell of a row names it. */
  readonly rows: readonly (readonly DataCell[])[];
  /** Each column can sort the rows. */
  readonly sortable?: boolean;
  /** Can be copied as CSV and as Markdown. */
  readonly copyable?: boolean;
  /** Scrolls inside a limited height. */
  readonly tall?: boolean;
  /** On narrow screens a row becomes a block with one cell on each line: for cells that are read, not compared. */
  readonly stacks?: boolean;
}

interface Order {
  readonly column: number;
  readonly direction: 'ascending' | 'descending';
}

/** A table that can be sorted and copied. */
export function DataTable({
  label,
  columns,
  rows,
  sortable = false,
  copyable = false,
  tall = false,
  stacks = false,
}: DataTableProps) {
  const [order, setOrder] = useState<Order>();
  const shown = order === undefined ? rows : sorted(rows, order);
  const turn = (column: number) => setOrder(nextOrder(order, column));
  return (
    <div class="stack">
      <ScrollArea kind={tall ? 'scroll tall' : 'scroll'} label={label}>
        {/* Explicit roles, because cells shown as blocks lose them. */}
        <table class={stacks ? 'stacks' : undefined} role={stacks ? 'table' : undefined}>
          <thead>
            <tr role={stacks ? 'row' : undefined}>
              {columns.map(({ name, numeric }, k) => (
                <th
                  key={name}
                  scope="col"
                  role={stacks ? 'columnheader' : undefined}
                  class={numeric === true ? 'number' : undefined}
                  aria-sort={order?.column === k ? order.direction : undefined}
                >
                  {sortable ? (
                    <button type="button" onClick={() => turn(k)}>
                      {name}
                      <span aria-hidden="true">
                        {order?.column === k && arrows[order.direction]}
                      </span>
                    </button>
                  ) : (
                    name
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((cells, r) => (
              <tr key={`${cells[0]?.value}-${r}`} role={stacks ? 'row' : undefined}>
                {cells.map(({ value, shown: content }, k) => {
                  const inside = content ?? (value === null ? 'NA' : String(value));
                  const { name, numeric } = columns[k];
                  const look = numeric === true ? 'number' : undefined;
                  return k === 0 ? (
                    <th key={name} scope="row" role={stacks ? 'rowheader' : undefined} class={look}>
                      {inside}
                    </th>
                  ) : (
                    <td
                      key={name}
                      role={stacks ? 'cell' : undefined}
                      class={look}
                      data-name={stacks ? name : undefined}
                    >
                      {inside}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {copyable && (
        <div class="row">
          <CopyButton text={() => csvOf(columns, shown)}>Copy as CSV</CopyButton>
          <CopyButton text={() => markdownOf(columns, shown)}>Copy as Markdown</CopyButton>
        </div>
      )}
    </div>
  );
}

const arrows = { ascending: ' ↑', descending: ' ↓' } as const;

/** Ascending, then descending, then as given. */
function nextOrder(order: Order | undefined, column: number): Order | undefined {
  if (order?.column !== column) return { column, direction: 'ascending' };
  return order.direction === 'ascending' ? { column, direction: 'descending' } : undefined;
}

function sorted(
  rows: DataTableProps['rows'],
  { column, direction }: Order,
): DataTableProps['rows'] {
  const sign = direction === 'ascending' ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [x, y] = [a[column].value, b[column].value];
    if (x === null || y === null) return (x === null ? 1 : 0) - (y === null ? 1 : 0);
    if (typeof x === 'number' && typeof y === 'number') return sign * (x - y);
    return sign * String(x).localeCompare(String(y));
  });
}

/** The values with all digits, as a spreadsheet or R reads them. */
export function csvOf(columns: readonly TableColumn[], rows: DataTableProps['rows']): string {
  const lines = [
    columns.map(({ name }) => csvText(name)),
    ...rows.map((cells) =>
      cells.map(({ value }) => (value === null ? 'NA' : csvText(String(value)))),
    ),
  ];
  return `${lines.map((cells) => cells.join(',')).join('\n')}\n`;
}

export function markdownOf(columns: readonly TableColumn[], rows: DataTableProps['rows']): string {
  const escaped = (value: string | number | null) => String(value ?? 'NA').replaceAll('|', '\\|');
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return `${[
    line(columns.map(({ name }) => escaped(name))),
    line(columns.map(({ numeric }) => (numeric === true ? '---:' : '---'))),
    ...rows.map((cells) => line(cells.map(({ value }) => escaped(value)))),
  ].join('\n')}\n`;
}
