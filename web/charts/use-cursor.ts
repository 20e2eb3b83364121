import { useState } from 'preact/hooks';

/** The detail of a mark, and its position. */
export interface CursorText {
  readonly x: number;
  readonly y: number;
  /** Side of the detail, so that it hides little. */
  readonly beside: 'mark' | 'column';
  readonly heading: string;
  readonly lines: readonly {
    readonly name?: string | undefined;
    readonly value: string;
    /** The class of its colour. */
    readonly style?: string | undefined;
  }[];
}

/** The mark under the pointer or reached by keys. */
export interface Cursor {
  readonly count: number;
  readonly at: number | undefined;
  move(to: number | undefined): void;
}

export function useCursor(count: number): Cursor {
  const [at, move] = useState<number>();
  return { count, at: at !== undefined && at < count ? at : undefined, move };
}

/** The mark that a key moves to, along a row; undefined for other keys. */
export function stepped(key: string, at: number, count: number): number | undefined {
  const last = count - 1;
  const to: Readonly<Record<string, number>> = {
    ArrowRight: at + 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at - 1,
    PageDown: at + 10,
    PageUp: at - 10,
    Home: 0,
    End: last,
  };
  const place = to[key];
  return place === undefined ? undefined : Math.min(last, Math.max(0, place));
}
