import { visibleText } from './visible-text.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML, SVG or a quoted attribute shows it; hidden characters are written out, but for line ends and tabs. */
export function escapeHtml(text: string): string {
  if (typeof text !== 'string') throw new RangeError(`a page needs a text, not a ${typeof text}`);
  return text
    .replaceAll(/[^\n\t]+/g, visibleText)
    .replace(/[\uFFFE\uFFFF]/gu, ' ')
    .replace(/[&<>"']/g, (character) => entities[character]!);
}
