import type { TermTexts } from '../../../src/features/term-text.ts';
import type { DataCell } from '../../ui/data-table.tsx';

/** The name of a column for people; R's name if it has no other. */
export function columnText({ columns }: TermTexts, name: string): string {
  return columns.get(name) ?? name;
}

/** The same without its baseline, for charts. */
export function shortText({ short }: TermTexts, name: string): string {
  return short.get(name) ?? name;
}

/** The name of a whole term for people. */
export function termText({ terms }: TermTexts, name: string): string {
  return terms.get(name) ?? name;
}

/** A name in a table: shown for people, copied and sorted as R has it. */
export function nameCell(name: string, text: string): DataCell {
  return { value: name, shown: text === name ? name : <span title={name}>{text}</span> };
}

/** A name with R's name on a second line, where it is another. */
export function twoNamesCell(name: string, text: string): DataCell {
  if (text === name) return { value: name };
  return {
    value: name,
    shown: (
      <>
        {text} <code class="r-name">{name}</code>
      </>
    ),
  };
}
