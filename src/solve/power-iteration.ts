/**
 * The largest eigenvalue of a symmetric positive semidefinite matrix given as v ↦ A v, from below: stops when a step
 * changes it by less than `tolerance` of itself.
 */
export function largestEigenvalue(
  width: number,
  multiply: (v: Float64Array) => Float64Array,
  tolerance: number,
): number {
  let v: Float64Array = Float64Array.from(
    { length: width },
    (_, i) => 1 + ((i * 7919) % 101) / 101,
  );
  let previous = 0;
  for (let step = 0; step < 500; step++) {
    const norm = Math.hypot(...v) || 1;
    v = multiply(v.map((x) => x / norm));
    const value = Math.hypot(...v);
    if (Math.abs(value - previous) <= tolerance * value) return value;
    previous = value;
  }
  return previous;
}
