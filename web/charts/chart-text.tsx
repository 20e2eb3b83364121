import { significant } from '../../src/model/number-text.ts';
import { FONT, fitted, SMALL_FONT } from './room.ts';

/** A number as charts write it: three digits unless told, and a true minus. */
export function numberText(value: number, digits = 3): string {
  return significant(value, digits).replace('e+', 'e').replaceAll('-', '−');
}

/** A number without the zeros at its end. */
export function briefNumber(value: number, digits = 3): string {
  return numberText(value, digits)
    .replace(/(\.\d*?)0+(?=e|$)/, '$1')
    .replace(/\.(?=e|$)/, '');
}

/** An estimate with its interval in words: 0.41 (0.3 to 0.52). */
export function intervalText(
  estimate: number,
  low: number | undefined,
  high: number | undefined,
): string {
  const inside = isGiven(low) && isGiven(high);
  return `${numberText(estimate)}${inside ? ` (${numberText(low)} to ${numberText(high)})` : ''}`;
}

export function isGiven(value: number | null | undefined): value is number {
  return typeof value === 'number' && !Number.isNaN(value);
}

interface ChartTextProps {
  readonly x: number;
  /** Its base line. */
  readonly y: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Pixels it may take; a longer text is cut and told in full by pointing at it. */
  readonly width?: number;
  readonly style?: string | undefined;
  readonly size?: 'usual' | 'small';
  /** Read from bottom to top. */
  readonly upwards?: true;
  readonly children: string;
}

/** A text in a chart. */
export function ChartText({
  x,
  y,
  anchor = 'start',
  width = Number.POSITIVE_INFINITY,
  style,
  size = 'usual',
  upwards,
  children,
}: ChartTextProps) {
  const shown = fitted(children, width, size === 'small' ? SMALL_FONT : FONT);
  const classes = [size === 'small' ? 'small' : '', style ?? ''].filter((name) => name !== '');
  return (
    <text
      x={x}
      y={y}
      text-anchor={anchor}
      class={classes.join(' ') || undefined}
      transform={upwards === undefined ? undefined : `rotate(-90 ${x} ${y})`}
    >
      {shown}
      {shown !== children && <title>{children}</title>}
    </text>
  );
}
