import { shortened, textWidth } from '../../src/export/svg/label.ts';

/** Pixels of the text of charts, as charts.css sets it, and of the numbers in cells. */
export const FONT = 12;
export const SMALL_FONT = 11;

let ruler: CanvasRenderingContext2D | null | undefined;
let family = '';
const known = new Map<string, number>();

/** Pixels a text takes in a chart. */
export function measured(text: string, size: number = FONT): number {
  if (ruler === undefined) {
    ruler = document.createElement('canvas').getContext('2d');
    family = getComputedStyle(document.documentElement).getPropertyValue('--sans') || 'sans-serif';
  }
  if (ruler === null) return (textWidth(text) * size) / FONT;
  const key = `${size} ${text}`;
  let width = known.get(key);
  if (width === undefined) {
    if (known.size > 5000) known.clear();
    ruler.font = `${size}px ${family}`;
    width = Math.ceil(ruler.measureText(text).width) + 1;
    known.set(key, width);
  }
  return width;
}

/** The text, cut in its middle where it would take more than so many pixels. */
export function fitted(text: string, width: number, size: number = FONT): string {
  const full = measured(text, size);
  if (full <= width) return text;
  let room = (width * textWidth(text)) / full;
  let shown = shortened(text, room);
  while (measured(shown, size) > width && room > 0) {
    room -= 4;
    shown = shortened(text, room);
  }
  return shown;
}

/** The widest of the texts, in pixels; 0 without any. */
export function widest(texts: readonly string[], size: number = FONT): number {
  return texts.reduce((most, text) => Math.max(most, measured(text, size)), 0);
}

/** A text in one line, or in two where it is wider than so many pixels. */
export function wrapped(text: string, width: number): string[] {
  const words = text.split(' ');
  let first = words.length;
  while (first > 1 && measured(words.slice(0, first).join(' ')) > width) first--;
  const rest = words.slice(first).join(' ');
  return rest === '' ? [text] : [words.slice(0, first).join(' '), rest];
}

/** A text in two lines, the wider of them as narrow as can be; in one where it is a single word. */
export function halved(text: string): string[] {
  const words = text.split(' ');
  return words
    .slice(1)
    .map((_, k) => [words.slice(0, k + 1).join(' '), words.slice(k + 1).join(' ')])
    .reduce((best, lines) => (widest(lines) < widest(best) ? lines : best), [text]);
}

/** Places moved as little as keeps them so far apart and within the bounds; in order, given and returned. */
export function apart(
  places: readonly number[],
  spacing: number,
  [least, most]: readonly [number, number],
): number[] {
  const moved: number[] = [];
  for (const place of places) {
    moved.push(Math.max(place, moved.length === 0 ? least : moved.at(-1)! + spacing));
  }
  for (let k = moved.length - 1, ceiling = most; k >= 0; k--) {
    moved[k] = Math.min(moved[k], ceiling);
    ceiling = moved[k] - spacing;
  }
  return moved;
}
