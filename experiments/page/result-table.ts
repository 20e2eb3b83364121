import { escapeHtml } from '../../src/text/html-text.ts';
import type { ResultColumn, ResultTable, TableCell } from '../paper-result.ts';
import { measuredText } from '../text/value-text.ts';

/** Longer tables are folded, and open on demand. */
const MOST_OPEN = 16;

/** The title of a table on the page and on a terminal: the paper's has its number, ours a name. */
export function tableName({ id, title }: ResultTable): string {
  return /^[IVX]+$/.test(id) ? `Table ${id}: ${title}` : title;
}

/** A table with the measured value in each cell, and the printed one below it. */
export function resultTable(table: ResultTable, experiment: string): string {
  const { columns, rows, of } = table;
  const name = escapeHtml(tableName(table));
  const head = columns.map(
    ({ label }) => `<th scope="col" class="number">${escapeHtml(label)}</th>`,
  );
  const body = rows.map(({ label, cells }) => {
    const shown = columns.map((column, k) => cellHtml(cells[k] ?? {}, column));
    return `<tr><th scope="row">${escapeHtml(label)}</th>${shown.join('')}</tr>`;
  });
  const html = [
    `<div class="scroll" role="region" aria-label="${name}, ${escapeHtml(experiment)}" tabindex="0"><table>`,
    `<caption><b>${name}</b></caption>`,
    `<thead><tr><th scope="col">${escapeHtml(of)}</th>${head.join('')}</tr></thead>`,
    `<tbody>${body.join('\n')}</tbody>`,
    '</table></div>',
  ].join('\n');
  if (rows.length <= MOST_OPEN) return html;
  return `<details><summary>${name} (${rows.length} rows)</summary>\n${html}\n</details>`;
}

/** On narrow paper a line may break at a dot between two values, but not before a unit. */
function unbroken(text: string): string {
  const parts = text.split(' · ').map((part) => `<span class="whole">${escapeHtml(part)}</span>`);
  return parts.join(' · ');
}

function cellHtml(cell: TableCell, { form }: ResultColumn): string {
  const measured = measuredText(cell, form);
  const own = measured === '' ? '<span class="none">–</span>' : unbroken(measured);
  const printed =
    cell.printed === undefined
      ? ''
      : `<span class="printed">paper: ${escapeHtml(cell.printed)}</span>`;
  return `<td class="number">${own}${printed}</td>`;
}
