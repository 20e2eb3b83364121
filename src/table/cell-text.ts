/** Whether a value is a text, as a string or as bytes. */
export function isText(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || value instanceof Uint8Array;
}

/** A cell as a text file would show it. */
export function toText(value: unknown): string {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value);
}

/** The text without blanks around it. */
export function trimBlanks(text: string): string {
  const hasBlank = isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1));
  return hasBlank ? text.replace(/^[ \t]+|[ \t]+$/g, '') : text;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}
