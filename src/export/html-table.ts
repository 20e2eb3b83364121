import { escapeHtml } from '../text/html-text.ts';

/** A column of a table; numbers are aligned right. */
export interface HtmlColumn<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** What is shown when one points at a name; the name itself unless given. */
  readonly hover?: (row: Row) => string;
  readonly kind?: 'number' | 'long';
}

/** A table in a box that scrolls; the first column names the row. */
export function htmlTable<Row>(
  caption: string,
  columns: readonly HtmlColumn<Row>[],
  rows: readonly Row[],
): string {
  const classed = ({ kind }: HtmlColumn<Row>) => (kind === undefined ? '' : ` class="${kind}"`);
  const head = columns.map(
    (column) => `<th scope="col"${classed(column)}>${escapeHtml(column.title)}</th>`,
  );
  const body = rows.map((row) => {
    const cells = columns.map((column, k) => {
      const text = escapeHtml(column.text(row));
      return k === 0
        ? `<th scope="row" title="${escapeHtml((column.hover ?? column.text)(row))}">${text}</th>`
        : `<td${classed(column)}>${text}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  const name = escapeHtml(caption);
  return [
    `<div class="scroll" role="region" aria-label="${name}" tabindex="0"><table>`,
    `<thead><tr>${head.join('')}</tr></thead>`,
    `<tbody>${body.join('\n')}</tbody>`,
    '</table></div>',
  ].join('\n');
}

/** A paragraph of plain text. */
export function paragraph(text: string, style = ''): string {
  return `<p${style === '' ? '' : ` class="${style}"`}>${escapeHtml(text)}</p>`;
}

/** A section of the page with its heading; empty where it has no content. */
export function section(title: string, blocks: readonly string[]): string {
  if (blocks.length === 0) return '';
  return `<section>\n<h2>${escapeHtml(title)}</h2>\n${blocks.join('\n')}\n</section>`;
}

/** A figure with its caption; `explanation` says how to read it. */
export function figure(title: string, explanation: string, picture: string): string {
  const caption = `<b>${escapeHtml(title)}</b>${explanation === '' ? '' : ` · ${escapeHtml(explanation)}`}`;
  return `<figure><figcaption>${caption}</figcaption>\n${picture}\n</figure>`;
}

export function figures(pictures: readonly string[]): string[] {
  return pictures.length === 0 ? [] : [`<div class="figures">\n${pictures.join('\n')}\n</div>`];
}
