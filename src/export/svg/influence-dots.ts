import { significant } from '../../text/number-text.ts';
import { AXIS_HEIGHT, bottomAxis } from './axis.ts';
import { type Caption, dotMark, drawing, line, WIDTH } from './drawing.ts';
import { label, textWidth } from './label.ts';
import { extent, linearScale } from './scale.ts';

export interface InfluenceDots extends Caption {
  readonly terms: readonly string[];
  readonly rows: readonly {
    readonly label: string;
    /** Over the terms, in standard errors; null where it cannot be estimated. */
    readonly changes: readonly (number | null)[];
    /** The term that moves most. */
    readonly largest?: string;
  }[];
}

const ROW = 22;
/** Most pixels of the names of sites, and of terms. */
const MOST_SITE = 110;
const MOST_TERM = 160;

/** How far each site moves each coefficient: one row per site, one dot per term, the largest by name. */
export function influenceDots({ terms, rows, ...caption }: InfluenceDots): string {
  const bottom = rows.length * ROW + 8;
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(textWidth));
  const siteWidth = Math.min(MOST_SITE, widest(rows.map((row) => row.label)));
  const termWidth = Math.min(MOST_TERM, widest(rows.map(({ largest = '' }) => largest)));
  const [left, right] = [14 + siteWidth, WIDTH - 14 - termWidth];
  const changes = rows.flatMap((row) => row.changes.filter((change) => change !== null));
  const scale = linearScale(extent([-1, 1, ...changes]), [left, right], 5);
  return drawing(caption, bottom + AXIS_HEIGHT, [
    bottomAxis(scale, bottom, 4, 'change by the site, standard errors'),
    line([scale.at(0), 4], [scale.at(0), bottom], 'reference'),
    ...rows.map((row, k) => {
      const y = 6 + (k + 0.5) * ROW;
      return [
        label(row.label, { x: left - 12, y: y + 4, anchor: 'end', width: siteWidth }),
        ...row.changes.flatMap((change, term) => {
          if (change === null) return [];
          const style = terms[term] === row.largest ? 'point' : 'point faint';
          const tooltip = `${row.label}, ${terms[term]}: ${significant(change, 3)}`;
          return [dotMark(scale.at(change), y, 4, style, tooltip)];
        }),
        label(row.largest ?? '', {
          x: right + 10,
          y: y + 4,
          width: termWidth,
          style: 'soft',
        }),
      ].join('\n');
    }),
  ]);
}
