import { useMemo } from 'preact/hooks';
import { ChartNumber, ChartText } from './chart-text.tsx';
import { Frame } from './frame.tsx';
import { HeatCells } from './heat-cells.tsx';
import { type HeatLayout, heatLayout, MOST_NUMBERED, rowName } from './heat-layout.ts';
import { HeatLegend, legendHeight } from './heat-legend.tsx';
import { cellNumber, type HeatRange, tintFor } from './heat-tint.ts';
import { measured } from './space.ts';
import { type CursorText, stepped, useCursor } from './use-cursor.ts';
import { useWidth } from './use-width.ts';

interface HeatMapProps {
  readonly names: readonly string[];
  /** One row for each name, one value for each name; null if there is none. */
  readonly values: readonly (readonly (number | null)[])[];
  readonly range: HeatRange;
  readonly title: string;
  /** Text of a cell; the value with few digits unless given. */
  readonly cellText?: ((value: number, row: number, column: number) => string) | undefined;
}

/** A square of values as tints, with numbers if they fit. */
export function HeatMapChart({ names, values, range, title, cellText }: HeatMapProps) {
  const [box, measuredWidth] = useWidth();
  const width = measuredWidth ?? 640;
  const count = names.length;
  const cursor = useCursor(count * count);
  // The pointer causes many redraws; everything that does not depend on it is memoised.
  const tint = useMemo(() => tintFor(values, range), [values, range]);
  const finding = useMemo(() => findingOf(names, values), [names, values]);
  const textOf = (row: number, column: number) => {
    const value = valueAt(values, row, column);
    if (value === null) return '';
    return cellText?.(value, row, column) ?? cellNumber(value, range);
  };
  const layout = useMemo(() => {
    const few = count <= MOST_NUMBERED;
    const texts = few ? names.flatMap((_, i) => names.map((_, j) => textOf(i, j))) : [];
    return heatLayout(names, texts, width);
  }, [names, values, range, cellText, width]);
  const empty = names.some((_, i) => names.some((_, j) => valueAt(values, i, j) === null));
  const cells = useMemo(
    () => <HeatCells values={values} count={count} tint={tint} layout={layout} />,
    [values, tint, layout],
  );
  const { left, top, cell, bottom } = layout;
  const [row, column] =
    cursor.at === undefined ? [] : [Math.floor(cursor.at / count), cursor.at % count];
  const describe = (at: number): CursorText => {
    const [i, j] = [Math.floor(at / count), at % count];
    const value = valueAt(values, i, j);
    return {
      x: left + (j + 0.5) * cell.width,
      y: top + (i + 0.5) * cell.height,
      beside: 'mark',
      heading: i === j ? names[i] : `${names[i]} and ${names[j]}`,
      lines: [
        { value: value === null ? 'no value' : (cellText?.(value, i, j) ?? ChartNumber(value)) },
      ],
    };
  };
  return (
    <Frame
      box={box}
      width={measuredWidth}
      height={bottom + legendHeight(tint, empty, width - left)}
      title={title}
      finding={finding}
      cursor={cursor}
      near={(x, y) => {
        const [i, j] = [Math.floor((y - top) / cell.height), Math.floor((x - left) / cell.width)];
        return i >= 0 && i < count && j >= 0 && j < count ? i * count + j : undefined;
      }}
      describe={describe}
      step={(key, at) => steppedInSquare(key, at, count)}
    >
      <RowNames names={names} layout={layout} pointed={row} />
      <ColumnNames names={names} layout={layout} pointed={column} />
      {cells}
      {layout.numbers &&
        names.flatMap((_, i) =>
          names.map((name, j) => (
            <ChartText
              key={`${i}-${name}`}
              x={left + (j + 0.5) * cell.width}
              y={top + (i + 0.5) * cell.height + 4}
              anchor="middle"
              size="small"
            >
              {textOf(i, j)}
            </ChartText>
          )),
        )}
      {row !== undefined && (
        <rect
          class="picked"
          x={left + column! * cell.width - 1}
          y={top + row * cell.height - 1}
          width={cell.width + 1}
          height={cell.height + 1}
        />
      )}
      <HeatLegend
        tint={tint}
        x={left}
        y={bottom + 10}
        width={width}
        numbers={layout.numbers}
        empty={empty}
      />
    </Frame>
  );
}

function valueAt(values: HeatMapProps['values'], row: number, column: number): number | null {
  const value = values[row]?.[column];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

interface NamesProps {
  readonly names: readonly string[];
  readonly layout: HeatLayout;
  readonly pointed: number | undefined;
}

function RowNames({ names, layout, pointed }: NamesProps) {
  const { left, top, cell, everyRow, heads } = layout;
  return (
    <g>
      {names.map((name, k) =>
        k % everyRow === 0 ? (
          <ChartText
            key={`${k}-${name}`}
            x={left - 8}
            y={top + k * cell.height + Math.max(cell.height / 2, everyRow > 1 ? 6 : 0) + 4}
            anchor="end"
            width={left - 8}
            style={k === pointed ? 'pointed' : undefined}
          >
            {rowName(names, k, heads)}
          </ChartText>
        ) : null,
      )}
    </g>
  );
}

function ColumnNames({ names, layout, pointed }: NamesProps) {
  const { left, top, cell, heads, everyColumn } = layout;
  return (
    <g>
      {names.map((name, k) => {
        if (k % everyColumn !== 0) return null;
        const end = left + names.length * cell.width;
        const half = heads === 'numbers' ? measured(String(k + 1)) / 2 : 0;
        const x = Math.min(end - half, left + (k + 0.5) * cell.width);
        const style = k === pointed ? 'pointed' : undefined;
        return heads === 'upright names' ? (
          <ChartText
            key={`${k}-${name}`}
            x={x + 4}
            y={top - 5}
            width={top - 8}
            style={style}
            upwards
          >
            {name}
          </ChartText>
        ) : (
          <ChartText key={`${k}-${name}`} x={x} y={top - 6} anchor="middle" style={style}>
            {heads === 'names' ? name : String(k + 1)}
          </ChartText>
        );
      })}
    </g>
  );
}

function steppedInSquare(key: string, at: number, count: number): number | undefined {
  const [row, column] = [Math.floor(at / count), at % count];
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    return stepped(key, row, count)! * count + column;
  }
  const to = stepped(key, column, count);
  return to === undefined ? undefined : row * count + to;
}

/** The strongest pairs of different names. */
function findingOf(names: readonly string[], values: HeatMapProps['values']): string {
  const pairs: { i: number; j: number; value: number }[] = [];
  for (let i = 0; i < names.length; i++) {
    for (let j = 0; j < i; j++) {
      const value = valueAt(values, i, j) ?? valueAt(values, j, i);
      if (value !== null) pairs.push({ i, j, value });
    }
  }
  const strongest = pairs.sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, 3);
  const texts = strongest.map(
    ({ i, j, value }) => `${names[j]} and ${names[i]} ${ChartNumber(value)}`,
  );
  return [
    `${names.length} by ${names.length} values.`,
    texts.length === 0 ? '' : `Strongest pairs: ${texts.join('; ')}.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
