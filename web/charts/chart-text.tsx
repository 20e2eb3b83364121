import { significant } from '../../src/text/number-text.ts';
import { FONT, fitted, SMALL_FONT } from './space.ts';

/** A number in a chart: three digits unless given, and a true minus sign. */
export function ChartNumber(value: number, digits = 3): string {
  return significant(value, digits).replace('e+', 'e').replaceAll('-', '−');
}

/** A number without the zeros at its end. */
export function briefNumber(value: number, digits = 3): string {
  return ChartNumber(value, digits)
    .replace(/(\.\d*?)0+(?=e|$)/, '$1')
    .replace(/\.(?=e|$)/, '');
}

/** An estimate with its interval: 0.41 (0.3 to 0.52). */
export function intervalText(
  estimate: number,
  low: number | undefined,
  high: number | undefined,
): string {
  const inside = isPresent(low) && isPresent(high);
  return `${ChartNumber(estimate)}${inside ? ` (${ChartNumber(low)} to ${ChartNumber(high)})` : ''}`;
}

export function isPresent(value: number | null | undefined): value is number {
  return typeof value === 'number' && !Number.isNaN(value);
}

interface ChartTextProps {
  readonly x: number;
  /** Its base line. */
  readonly y: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Most pixels; a longer text is cut, and its tooltip has the full text. */
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
