import { grouped } from '../../text/number-text.ts';
import { type Caption, drawing, rectangle, WIDTH } from './drawing.ts';
import { label, textWidth } from './label.ts';

export interface Bars extends Caption {
  readonly rows: readonly {
    readonly label: string;
    readonly count: number;
    /** Drawn after the count, lighter. */
    readonly rest: number;
    /** What `rest` is, in a word. */
    readonly restName: string;
  }[];
}

const ROW = 20;
const LEFT = 122;

/** Counts as bars, followed by what was left out. */
export function bars({ rows, ...caption }: Bars): string {
  const texts = rows.map(({ count, rest, restName }) =>
    rest === 0 ? grouped(count) : `${grouped(count)} + ${grouped(rest)} ${restName}`,
  );
  const right = WIDTH - 8 - Math.min(150, Math.max(0, ...texts.map(textWidth)));
  const most = Math.max(1, ...rows.map(({ count, rest }) => count + rest));
  const length = (count: number) => (count / most) * (right - LEFT);
  return drawing(
    caption,
    rows.length * ROW + 4,
    rows.map(({ label: name, count, rest }, k) => {
      const y = 2 + k * ROW;
      return [
        label(name, { x: LEFT - 8, y: y + 14, anchor: 'end', width: LEFT - 10 }),
        rectangle(
          [LEFT, y + 3],
          [Math.max(1, length(count)), ROW - 6],
          'bar',
          `${name}: ${texts[k]}`,
        ),
        ...(rest === 0
          ? []
          : [
              rectangle(
                [LEFT + length(count), y + 3],
                [Math.max(1, length(rest)), ROW - 6],
                'bar rest',
              ),
            ]),
        label(texts[k]!, { x: LEFT + length(count + rest) + 6, y: y + 14, style: 'value' }),
      ].join('\n');
    }),
  );
}
