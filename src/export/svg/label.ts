import { escapeHtml } from '../../text/html-text.ts';
import { px } from './drawing.ts';

/** Pixels of the page's 12-pixel text. */
const FONT = 12;

export interface Placing {
  /** Where the text starts, ends or has its middle, by `anchor`. */
  readonly x: number;
  /** Its base line. */
  readonly y: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Pixels it may take; longer texts are cut with … and have a tooltip. */
  readonly width?: number;
  readonly style?: string;
}

/** A text in a picture. */
export function label(text: string, placing: Placing): string {
  const { x, y, anchor = 'start', width = Number.POSITIVE_INFINITY, style = '' } = placing;
  const shown = shortened(text, width);
  const tooltip = shown === text ? '' : `<title>${escapeHtml(text)}</title>`;
  const classes = style === '' ? '' : ` class="${style}"`;
  return `<text${classes} x="${px(x)}" y="${px(y)}" text-anchor="${anchor}">${escapeHtml(shown)}${tooltip}</text>`;
}

/** The text, cut in its middle where it is wider than `width` pixels: names often differ at either end. */
export function shortened(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const characters = Array.from(text);
  const cut = (kept: number) => {
    const tail = Math.floor(kept * 0.4);
    return `${characters.slice(0, kept - tail).join('')}…${characters.slice(characters.length - tail).join('')}`;
  };
  let kept = characters.length - 1;
  while (kept > 1 && textWidth(cut(kept)) > width) kept--;
  return cut(kept);
}

/** Upper bound on the width of a text in the fonts of the page, in pixels. */
export function textWidth(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + FONT * relativeWidth(character), 0);
}

/** Width in ems, as in the widest common font (DejaVu Sans). */
function relativeWidth(character: string): number {
  if (character.codePointAt(0)! > 0x2e7f) return 1.05;
  if (/[mwMW@%…—]/.test(character)) return 1;
  if (/[<>=+#&~^−]/.test(character)) return 0.84;
  if (/\p{Lu}/u.test(character)) return 0.74;
  return /[ijlt.,:;'|!()[\]]/.test(character) ? 0.39 : 0.63;
}
