/**
 * Orthonormal polynomials of degree 1 … k − 1 on k equally spaced points, leading coefficients positive: the columns of
 * R's contr.poly(k). Each is x times the one before, made orthogonal to all of them twice.
 */
export function orthogonalPolynomials(points: number): number[][] {
  const x = Array.from({ length: points }, (_, i) => i - (points - 1) / 2);
  const found = [normalised(x.map(() => 1))];
  while (found.length < points) {
    const last = found[found.length - 1];
    let next = last.map((value, i) => value * x[i]);
    for (let pass = 0; pass < 2; pass++) {
      for (const earlier of found) {
        const overlap = dot(next, earlier);
        next = next.map((value, i) => value - overlap * earlier[i]);
      }
    }
    found.push(normalised(next));
  }
  return found.slice(1);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

function normalised(values: readonly number[]): number[] {
  const length = Math.sqrt(dot(values, values));
  return values.map((value) => value / length);
}
