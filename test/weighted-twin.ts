/** Weighted least squares from rows; nothing shared with src. */
export function weightedLeastSquares(
  rows: readonly { readonly x: readonly number[]; readonly y: number; readonly weight: number }[],
): number[] {
  const d = rows[0].x.length;
  const system = Array.from({ length: d }, () => new Array<number>(d + 1).fill(0));
  for (const { x, y, weight } of rows) {
    for (let i = 0; i < d; i++) {
      for (let j = 0; j < d; j++) system[i][j] += weight * x[i] * x[j];
      system[i][d] += weight * x[i] * y;
    }
  }
  return eliminated(system);
}

/** The solution of equations [A | b] by elimination with pivots. */
export function eliminated(system: number[][]): number[] {
  const d = system.length;
  for (let k = 0; k < d; k++) {
    let pivot = k;
    for (let i = k; i < d; i++) {
      if (Math.abs(system[i][k]) > Math.abs(system[pivot][k])) pivot = i;
    }
    [system[k], system[pivot]] = [system[pivot], system[k]];
    for (let i = 0; i < d; i++) {
      if (i === k) continue;
      const factor = system[i][k] / system[k][k];
      for (let j = k; j <= d; j++) system[i][j] -= factor * system[k][j];
    }
  }
  return system.map((line, k) => line[d] / line[k]);
}
