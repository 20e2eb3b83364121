import { visibleText } from '../text/visible-text.ts';

/** An untrusted text without characters that move the cursor of a terminal or change the direction of the text. */
export function printable(text: string): string {
  return visibleText(text);
}
