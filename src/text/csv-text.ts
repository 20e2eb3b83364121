/** A number, which a spreadsheet reads as such. */
const number = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/**
 * A text that no spreadsheet runs. One that starts with = + - @, a tab or a line end gets an apostrophe before it, as people
 * type one. Numbers as text stay as they are.
 */
export function inertText(text: string): string {
  const runs = /^[=+\-@\t\r\n]/.test(text) && !number.test(text);
  return runs ? `'${text}` : text;
}

/** A text as a field of CSV (RFC 4180) that no spreadsheet runs. */
export function csvText(text: string, delimiter: string = ','): string {
  return csvQuoted(inertText(text), delimiter);
}

/** A text as a field of CSV, as it is: for a header that came from a file and returns to it. */
export function csvQuoted(text: string, delimiter: string = ','): string {
  const plain = !text.includes(delimiter) && !/["\r\n]/.test(text);
  return plain ? text : `"${text.replaceAll('"', '""')}"`;
}
