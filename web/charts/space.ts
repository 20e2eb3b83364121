import { shortened, textWidth } from '../../src/export/svg/label.ts';

/** Font sizes in pixels of chart texts (as in charts.css) and of numbers in cells. */
export const FONT = 12;
export const SMALL_FONT = 11;

let ruler: CanvasRenderingContext2D | null | undefined;
let family = '';
const known = new Map<string, number>();

/** Width of a text in a chart, in pixels. */
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

/** The text, cut in the middle if it is wider than `width` pixels. */
export function fitted(text: string, width: number, size: number = FONT): string {
  const full = measured(text, size);
  if (full <= width) return text;
  let space = (width * textWidth(text)) / full;
  let shown = shortened(text, space);
  while (measured(shown, size) > width && space > 0) {
    space -= 4;
    shown = shortened(text, space);
  }
  return shown;
}

/** The widest of the texts, in pixels; 0 without any. */
export function widest(texts: readonly string[], size: number = FONT): number {
  return texts.reduce((most, text) => Math.max(most, measured(text, size)), 0);
}

/** A text in one line, or in two if it is wider than `width` pixels. */
export function wrappedLabel(text: string, width: number): string[] {
  const words = text.split(' ');
  let first = words.length;
  while (first > 1 && measured(words.slice(0, first).join(' ')) > width) first--;
  const rest = words.slice(first).join(' ');
  return rest === '' ? [text] : [words.slice(0, first).join(' '), rest];
}

/** A text in two lines that are as narrow as possible; a single word stays in one line. */
export function halved(text: string): string[] {
  const words = text.split(' ');
  return words
    .slice(1)
    .map((_, k) => [words.slice(0, k + 1).join(' '), words.slice(k + 1).join(' ')])
    .reduce((best, lines) => (widest(lines) < widest(best) ? lines : best), [text]);
}

/** Sorted places, moved as little as possible so that they are `spacing` apart and within the bounds. */
export function spacedLabels(
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
