import '../style/charts.css';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Cursor, type CursorText, stepped } from './use-cursor.ts';

interface FrameProps {
  readonly box: RefObject<HTMLDivElement | null>;
  /** Undefined until it is measured; the height is reserved. */
  readonly width: number | undefined;
  readonly height: number;
  readonly title: string;
  /** Text about what the chart shows. */
  readonly finding: string;
  readonly cursor: Cursor;
  /** Index of the mark at a place, if there is one. */
  readonly near: (x: number, y: number) => number | undefined;
  /** The detail of a mark. */
  readonly describe: (at: number) => CursorText;
  /** The mark that a key moves to; along a row of marks unless given. */
  readonly step?: (key: string, at: number) => number | undefined;
  /** The mark where keys start; the first unless given. */
  readonly start?: number;
  /** Called when a mark is pressed, dragged to, or reached by keys. */
  readonly onChoose?: (at: number) => void;
  readonly children: ComponentChildren;
}

/** The box of a chart: its text for screen readers, its one tab stop, and the detail of the mark under the pointer. */
export function Frame(props: FrameProps) {
  const { box, width, height, title, finding, cursor, describe } = props;
  const { at, count } = cursor;
  const detail = at === undefined || width === undefined ? undefined : describe(at);
  const point = (event: PointerEvent) => {
    const { left, top } = box.current!.getBoundingClientRect();
    const to = props.near(event.clientX - left, event.clientY - top);
    if (to !== at) cursor.move(to);
    if (to !== undefined && (event.buttons & 1) === 1) props.onChoose?.(to);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') cursor.move(undefined);
    if (event.ctrlKey || event.metaKey || event.altKey || count === 0) return;
    const from = at ?? props.start ?? 0;
    const to = (props.step ?? ((key, place) => stepped(key, place, count)))(event.key, from);
    if (to === undefined) return;
    event.preventDefault();
    cursor.move(to);
    props.onChoose?.(to);
  };
  // After a touch the detail stays until another place is touched.
  useEffect(() => {
    if (at === undefined) return;
    const elsewhere = ({ target }: Event) => {
      if (!box.current?.contains(target as Node)) cursor.move(undefined);
    };
    document.addEventListener('pointerdown', elsewhere);
    return () => document.removeEventListener('pointerdown', elsewhere);
  }, [at]);
  return (
    <div
      class="chart"
      ref={box}
      style={{ height: `${height}px` }}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={(event) => {
        if (event.pointerType !== 'touch') cursor.move(undefined);
      }}
    >
      {width !== undefined && (
        <svg
          role="img"
          aria-label={`${title}. ${finding}`}
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
        >
          {props.children}
        </svg>
      )}
      {count > 0 && (
        <div
          class="chart-stop"
          role="slider"
          tabIndex={0}
          aria-label={`${title}: one by one`}
          aria-valuemin={1}
          aria-valuemax={count}
          aria-valuenow={(at ?? props.start ?? 0) + 1}
          aria-valuetext={
            detail === undefined ? `${count} values, read with the arrow keys` : spoken(detail)
          }
          onKeyDown={press}
          onFocus={() => cursor.move(at ?? props.start ?? 0)}
          onBlur={() => cursor.move(undefined)}
        />
      )}
      {detail !== undefined && <Detail detail={detail} width={width!} height={height} />}
    </div>
  );
}

/** The detail of a mark: above or below it, inside the box; or beside its column. */
function Detail({
  detail,
  width,
  height,
}: {
  readonly detail: CursorText;
  readonly width: number;
  readonly height: number;
}) {
  const across = Math.min(width, Math.max(0, detail.x));
  const above = detail.y > height / 2;
  const mark = {
    left: `${across}px`,
    [above ? 'bottom' : 'top']: `${(above ? height - detail.y : detail.y) + 14}px`,
    transform: `translateX(${(-100 * across) / width}%)`,
  };
  const column = {
    top: `${detail.y}px`,
    [across < width / 2 ? 'left' : 'right']: `${Math.min(across, width - across) + 12}px`,
    'max-width': `min(15rem, ${Math.max(across, width - across) - 12}px)`,
  };
  return (
    <div class="chart-detail" aria-hidden="true" style={detail.beside === 'column' ? column : mark}>
      <strong>{detail.heading}</strong>
      {detail.lines.map(({ name, value, style }) => (
        <span key={`${name}${value}`} class={style}>
          {name !== undefined && <span>{name}</span>}
          <span>{value}</span>
        </span>
      ))}
    </div>
  );
}

function spoken({ heading, lines }: CursorText): string {
  const rest = lines.map(({ name, value }) => (name === undefined ? value : `${name} ${value}`));
  return [heading, ...rest].join(', ');
}
