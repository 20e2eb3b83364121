/** Points on the unit circle in the order of their angles, and what a network should say at each. */
export interface CirclePoints {
  readonly count: number;
  /** Two coordinates a point. */
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Points in the order of their angles from −π to π. */
export function circlePoints(
  points: readonly { readonly x: readonly [number, number]; readonly y: number }[],
): CirclePoints {
  const sorted = points.toSorted((a, b) => (isBefore(...a.x, ...b.x) ? -1 : 1));
  return {
    count: sorted.length,
    x: Float64Array.from(sorted.flatMap(({ x }) => x)),
    y: Float64Array.from(sorted, ({ y }) => y),
  };
}

/** All points of several sets, again in order. */
export function pooledPoints(sets: readonly CirclePoints[]): CirclePoints {
  return circlePoints(
    sets.flatMap(({ count, x, y }) =>
      Array.from({ length: count }, (_, j) => ({
        x: [x[2 * j]!, x[2 * j + 1]!] as const,
        y: y[j]!,
      })),
    ),
  );
}

/** Whether the angle of (a, b) is smaller than that of (c, d); without an arctangent, whose bits no standard fixes. */
export function isBefore(a: number, b: number, c: number, d: number): boolean {
  const lower = b < 0;
  if (lower !== d < 0) return lower;
  return a * d - b * c > 0;
}
