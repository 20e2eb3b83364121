import { UsageError } from '../usage-error.ts';

const closing: Readonly<Record<string, string>> = { '"': '"', '`': '`', '(': ')' };

/** Splits a text at commas, but not inside double quotes, backticks or parentheses. */
export function splitList(text: string, flag: string): string[] {
  const parts = [''];
  const open: string[] = [];
  for (const letter of text) {
    const inside = open[open.length - 1];
    if (letter === inside) open.pop();
    else if (letter in closing && (inside === undefined || inside === ')'))
      open.push(closing[letter]);
    if (letter === ',' && open.length === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  if (open.length > 0) {
    throw new UsageError(`${flag} lacks a closing ${open[open.length - 1]}: ${text}`, 'close it');
  }
  const found = parts.map((part) => part.trim());
  if (found.every((part) => part !== '')) return found;
  throw new UsageError(
    text.trim() === '' ? `${flag} is empty` : `${flag} has an empty part: ${text}`,
    'leave it out, or fill it',
  );
}

/** A name or value without the quotes or backticks around it. */
export function unquoted(text: string): string {
  const quote = text[0];
  const quoted = text.length > 1 && (quote === '"' || quote === '`') && text.endsWith(quote);
  return quoted ? text.slice(1, -1) : text;
}
