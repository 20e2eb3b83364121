/** A text from elsewhere without what would move a terminal's cursor or turn its direction. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, '\ufffd');
}
