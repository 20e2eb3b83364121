const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML, SVG or a quoted attribute shows it; control characters become spaces. */
export function escapeHtml(text: string): string {
  if (typeof text !== 'string') throw new RangeError(`a page needs a text, not a ${typeof text}`);
  return text
    .replace(/[^\P{Cc}\n\t]|[\uD800-\uDFFF\uFFFE\uFFFF]/gu, ' ')
    .replace(/[&<>"']/g, (character) => entities[character]!);
}
