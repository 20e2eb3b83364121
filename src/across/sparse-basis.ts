/** The same space as the given vectors span, in a basis with as few entries as elimination with pivots leaves. */
export function sparseBasis(vectors: readonly Float64Array[]): Float64Array[] {
  const basis = vectors.map((vector) => vector.slice());
  const used = new Set<number>();
  basis.forEach((vector, at) => {
    let pivot = -1;
    vector.forEach((value, i) => {
      const better = pivot < 0 || Math.abs(value) > Math.abs(vector[pivot]);
      if (!used.has(i) && better) pivot = i;
    });
    if (pivot < 0 || vector[pivot] === 0) return;
    used.add(pivot);
    basis.forEach((other, k) => {
      if (k === at) return;
      const factor = other[pivot] / vector[pivot];
      for (let i = 0; i < other.length; i++) other[i] -= factor * vector[i];
      other[pivot] = 0;
    });
  });
  return basis;
}
