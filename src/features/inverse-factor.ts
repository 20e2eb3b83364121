/**
 * (L⁻¹)ᵀ of a positive definite matrix LLᵀ, row-major: rows times it are L⁻¹ times columns. Plain doubles in a fixed order, so
 * that the bits are the same on every engine.
 */
export function inverseFactor(matrix: readonly Float64Array[]): Float64Array {
  const width = matrix.length;
  const factor = matrix.map((row) => row.slice());
  for (let j = 0; j < width; j++) {
    for (let i = j; i < width; i++) {
      let sum = factor[i][j];
      for (let k = 0; k < j; k++) sum -= factor[i][k] * factor[j][k];
      factor[i][j] = i === j ? Math.sqrt(sum) : sum / factor[j][j];
    }
  }
  const inverse = new Float64Array(width * width);
  for (let j = 0; j < width; j++) {
    // Column j of L⁻¹ is row j of its transpose.
    const own = inverse.subarray(j * width, (j + 1) * width);
    own[j] = 1 / factor[j][j];
    for (let i = j + 1; i < width; i++) {
      let sum = 0;
      for (let k = j; k < i; k++) sum -= factor[i][k] * own[k];
      own[i] = sum / factor[i][i];
    }
  }
  return inverse;
}
