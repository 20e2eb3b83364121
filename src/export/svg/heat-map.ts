import { escapeHtml } from '../../text/html-text.ts';
import { type Caption, drawing, px, WIDTH } from './drawing.ts';
import { label, textWidth } from './label.ts';

export interface HeatMap extends Caption {
  readonly names: readonly string[];
  /** From −1 to 1; null where it is undefined. */
  readonly values: readonly (readonly (number | null)[])[];
}

/** Least and most pixels of the names; they have what the cells leave. */
const LEAST_NAME = 104;
const MOST_NAME = 200;
const TOP = 18;
const MOST_CELL = 34;
const LEAST_FOR_TEXT = 24;
const LEAST_ROW = 13;

/** Correlations as tints, numbered at the top, named at the left. */
export function heatMap({ names, values, ...caption }: HeatMap): string {
  const numbered = names.map((name, i) => `${i + 1} ${name}`);
  const free = WIDTH - 10 - names.length * LEAST_FOR_TEXT;
  const nameWidth = Math.min(
    Math.max(...numbered.map(textWidth), 0),
    Math.max(LEAST_NAME, Math.min(MOST_NAME, free)),
  );
  const left = nameWidth + 8;
  const width = Math.min(MOST_CELL, (WIDTH - left - 2) / Math.max(1, names.length));
  const height = Math.max(LEAST_ROW, width);
  const cells = values.flatMap((row, i) =>
    row.map((value, j) => {
      const [x, y] = [left + j * width, TOP + i * height];
      const style = value === null ? 'cell none' : `cell ${value < 0 ? 'negative' : 'positive'}`;
      const amount = value === null ? 0 : Math.min(1, Math.abs(value));
      const tooltip = `${names[i]} and ${names[j]}: ${value === null ? 'none' : value.toFixed(3)}`;
      const shown =
        value === null || width < LEAST_FOR_TEXT || i === j
          ? ''
          : label(correlationText(value), {
              x: x + width / 2,
              y: y + height / 2 + 3.5,
              anchor: 'middle',
              style: 'small',
            });
      return `<rect class="${style}" style="--amount:${amount.toFixed(3)}" x="${px(x)}" y="${px(y)}" width="${px(width - 1)}" height="${px(height - 1)}"><title>${escapeHtml(tooltip)}</title></rect>${shown}`;
    }),
  );
  const every = Math.ceil(16 / width);
  return drawing(caption, TOP + names.length * height + 2, [
    ...numbered.map((name, i) =>
      label(name, {
        x: left - 6,
        y: TOP + (i + 0.5) * height + 4,
        anchor: 'end',
        width: nameWidth,
      }),
    ),
    ...names.flatMap((_, j) =>
      j % every === 0
        ? [
            label(String(j + 1), {
              x: left + (j + 0.5) * width,
              y: TOP - 5,
              anchor: 'middle',
              style: 'soft',
            }),
          ]
        : [],
    ),
    ...cells,
  ]);
}

/** .87, −.12, 1. */
function correlationText(value: number): string {
  const text = Math.abs(value).toFixed(2).replace(/^0/, '');
  return `${value < 0 && text !== '.00' ? '−' : ''}${text === '1.00' ? '1' : text}`;
}
