import { escapeHtml } from '../../text/html-text.ts';

/** Width of every picture, in its own units: readable on a phone without zooming. */
export const WIDTH = 380;

/** Text of a picture for readers who cannot see it. */
export interface Caption {
  readonly title: string;
  readonly description: string;
}

/** A picture; its elements take their colours from the classes of the page. */
export function drawing(
  { title, description }: Caption,
  height: number,
  elements: readonly string[],
): string {
  const name = escapeHtml(title);
  return [
    `<svg class="plot" viewBox="0 0 ${WIDTH} ${px(height)}" role="img" aria-label="${name}">`,
    `<title>${name}</title><desc>${escapeHtml(description)}</desc>`,
    ...elements,
    '</svg>',
  ].join('\n');
}

/** Pixels to a tenth. */
export function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}

export function line(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  style: string,
): string {
  return `<line class="${style}" x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}"/>`;
}

/** A filled circle; `title` is its tooltip. */
export function dotMark(x: number, y: number, radius: number, style: string, title = ''): string {
  const tooltip = title === '' ? '' : `<title>${escapeHtml(title)}</title>`;
  return `<circle class="${style}" cx="${px(x)}" cy="${px(y)}" r="${radius}">${tooltip}</circle>`;
}

export function rectangle(
  [x, y]: readonly [number, number],
  [width, height]: readonly [number, number],
  style: string,
  title = '',
): string {
  const tooltip = title === '' ? '' : `<title>${escapeHtml(title)}</title>`;
  return `<rect class="${style}" x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}">${tooltip}</rect>`;
}
