/** An untrusted text without characters that move the cursor of a terminal or change the direction of the text. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, '\ufffd');
}
