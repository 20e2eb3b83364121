import '../style/charts.css';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Cursor, stepped, type Told } from './use-cursor.ts';

interface FrameProps {
  readonly box: RefObject<HTMLDivElement | null>;
  /** Undefined until it is measured; the height is kept free. */
  readonly width: number | undefined;
  readonly height: number;
  readonly title: string;
  /** What the picture shows, in words and numbers. */
  readonly finding: string;
  readonly cursor: Cursor;
  /** The mark at a place, if there is one. */
  readonly near: (x: number, y: number) => number | undefined;
  readonly tell: (at: number) => Told;
  /** Where a key leads; along a row of marks unless given. */
  readonly step?: (key: string, at: number) => number | undefined;
  /** The mark that keys start from; the first unless given. */
  readonly start?: number;
  /** A mark was chosen: pressed, dragged to, or reached by keys. */
  readonly onChoose?: (at: number) => void;
  readonly children: ComponentChildren;
}

/** The box of a chart: its words, its one tab stop, and the detail of what is pointed at. */
export function Frame(props: FrameProps) {
  const { box, width, height, title, finding, cursor, tell } = props;
  const { at, count } = cursor;
  const told = at === undefined || width === undefined ? undefined : tell(at);
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
  // A finger leaves at once, so what it touched stays told until another place is touched.
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
          aria-valuetext={told === undefined ? `${count} to read by the arrow keys` : spoken(told)}
          onKeyDown={press}
          onFocus={() => cursor.move(at ?? props.start ?? 0)}
          onBlur={() => cursor.move(undefined)}
        />
      )}
      {told !== undefined && <Detail told={told} width={width!} height={height} />}
    </div>
  );
}

/** Above or below its mark, sliding so that it never leaves the box sideways; or beside its column. */
function Detail({
  told,
  width,
  height,
}: {
  readonly told: Told;
  readonly width: number;
  readonly height: number;
}) {
  const across = Math.min(width, Math.max(0, told.x));
  const above = told.y > height / 2;
  const mark = {
    left: `${across}px`,
    [above ? 'bottom' : 'top']: `${(above ? height - told.y : told.y) + 14}px`,
    transform: `translateX(${(-100 * across) / width}%)`,
  };
  const column = {
    top: `${told.y}px`,
    [across < width / 2 ? 'left' : 'right']: `${Math.min(across, width - across) + 12}px`,
    'max-width': `min(15rem, ${Math.max(across, width - across) - 12}px)`,
  };
  return (
    <div class="chart-detail" aria-hidden="true" style={told.beside === 'column' ? column : mark}>
      <strong>{told.heading}</strong>
      {told.lines.map(({ name, value, style }) => (
        <span key={`${name}${value}`} class={style}>
          {name !== undefined && <span>{name}</span>}
          <span>{value}</span>
        </span>
      ))}
    </div>
  );
}

function spoken({ heading, lines }: Told): string {
  const rest = lines.map(({ name, value }) => (name === undefined ? value : `${name} ${value}`));
  return [heading, ...rest].join(', ');
}
