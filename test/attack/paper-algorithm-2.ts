import { packedLength } from '../../src/numeric/gram.ts';
import { normals } from '../../src/random/normals.ts';
import { packedIndex } from '../../src/statistic/linear-layout.ts';
import type { Neighbours } from './label-attack.ts';

/**
 * NOT PRIVATE. Algorithm 2 of the paper (arXiv 2601.08216) as its Table V was evidently made: G and h noised apart with
 * τ/ε, τ = √(2 ln(1.25/δ)), as if a row were at most 1 long, on rows that are √d long and not clipped; (E + Eᵀ)/2 on G. Kept so
 * that the test of our own label is seen to catch it.
 */
export function paperAlgorithm2(
  { epsilon, delta }: { readonly epsilon: number; readonly delta: number },
  columns: number,
): Neighbours {
  const deviation = Math.sqrt(2 * Math.log(1.25 / delta)) / epsilon;
  const pairs = packedLength(columns);
  // One row more, as long as the paper's rows of d standard normals: all ones, and a response of two deviations.
  const exact: Neighbours['exact'] = [
    new Float64Array(pairs + columns),
    Float64Array.from({ length: pairs + columns }, (_, e) => (e < pairs ? 1 : 2)),
  ];
  const diagonal = new Set(Array.from({ length: columns }, (_, i) => packedIndex(columns, i, i)));
  return {
    exact,
    release(side, words) {
      const normal = normals(words);
      return exact[side].map((x, e) => {
        const spread = e >= pairs || diagonal.has(e) ? deviation : deviation * Math.SQRT1_2;
        return x + spread * normal();
      });
    },
  };
}
