/** A residual below this, over the number of rows, counts as zero. */
const ENOUGH = 1e-9;

/**
 * How often each candidate row occurs: whole numbers c ≥ 0 with Σ c b bᵀ = `counts` exactly, by non-negative least squares
 * (Lawson & Hanson 1974, ch. 23) and rounding. Undefined if there is no solution. `unique` if there is no other solution.
 */
export function rowMultiplicities(
  candidates: readonly Uint8Array[],
  counts: Float64Array,
): { readonly times: readonly number[]; readonly unique: boolean } | undefined {
  const width = Math.sqrt(counts.length);
  const normal = candidates.map((a) => candidates.map((b) => common(a, b) ** 2));
  const target = candidates.map((bits) => quadratic(counts, bits, width));
  const unique = solveOn(
    normal,
    target,
    candidates.map((_, k) => k),
  );
  const times = (unique ?? nonNegative(normal, target)).map(Math.round);
  if (times.some((time) => time < 0) || !reproduces(candidates, times, counts, width)) {
    return undefined;
  }
  return { times, unique: unique !== undefined };
}

function common(a: Uint8Array, b: Uint8Array): number {
  let both = 0;
  for (let j = 0; j < a.length; j++) both += a[j] & b[j];
  return both;
}

function quadratic(counts: Float64Array, bits: Uint8Array, width: number): number {
  let sum = 0;
  for (let i = 0; i < width; i++) {
    if (bits[i] === 0) continue;
    for (let j = 0; j < width; j++) if (bits[j] === 1) sum += counts[i * width + j];
  }
  return sum;
}

function reproduces(
  candidates: readonly Uint8Array[],
  times: readonly number[],
  counts: Float64Array,
  width: number,
): boolean {
  const sums = new Float64Array(counts.length);
  candidates.forEach((bits, k) => {
    for (let i = 0; i < width; i++) {
      if (bits[i] === 0) continue;
      for (let j = 0; j < width; j++) sums[i * width + j] += times[k] * bits[j];
    }
  });
  return sums.every((sum, k) => sum === counts[k]);
}

/** The solution for the chosen unknowns, others 0; undefined if they are linearly dependent. */
function solveOn(
  normal: readonly (readonly number[])[],
  target: readonly number[],
  chosen: readonly number[],
): number[] | undefined {
  const size = chosen.length;
  const factor = chosen.map(() => new Float64Array(size));
  const reduced = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = normal[chosen[i]][chosen[j]];
      for (let k = 0; k < j; k++) sum -= factor[i][k] * factor[j][k];
      if (i !== j) factor[i][j] = sum / factor[j][j];
      else if (sum > ENOUGH * normal[chosen[i]][chosen[i]]) factor[i][i] = Math.sqrt(sum);
      else return undefined;
    }
    let sum = target[chosen[i]];
    for (let k = 0; k < i; k++) sum -= factor[i][k] * reduced[k];
    reduced[i] = sum / factor[i][i];
  }
  const solution = target.map(() => 0);
  for (let i = size - 1; i >= 0; i--) {
    let sum = reduced[i];
    for (let k = i + 1; k < size; k++) sum -= factor[k][i] * solution[chosen[k]];
    solution[chosen[i]] = sum / factor[i][i];
  }
  return solution;
}

function nonNegative(
  normal: readonly (readonly number[])[],
  target: readonly number[],
): readonly number[] {
  let solution = target.map(() => 0);
  const refused = new Set<number>();
  let passive: number[] = [];
  for (let round = 0; round < 3 * target.length; round++) {
    const gradient = target.map(
      (t, a) => t - passive.reduce((sum, b) => sum + normal[a][b] * solution[b], 0),
    );
    const open = gradient.map((g, k) => (passive.includes(k) || refused.has(k) ? 0 : g));
    const entering = open.indexOf(Math.max(...open));
    if (!(open[entering] > ENOUGH * target[entering])) break;
    const wider = solveOn(normal, target, [...passive, entering]);
    if (wider === undefined) {
      refused.add(entering);
      continue;
    }
    passive = [...passive, entering];
    ({ solution, passive } = withinBounds(normal, target, solution, passive, wider));
  }
  return solution;
}

/** Moves towards a better solution and drops the unknowns that reach 0 on the way. */
function withinBounds(
  normal: readonly (readonly number[])[],
  target: readonly number[],
  from: number[],
  wide: number[],
  towards: number[],
): { solution: number[]; passive: number[] } {
  let solution = from;
  let passive = wide;
  let goal = towards;
  while (passive.some((k) => goal[k] <= 0)) {
    const steps = passive
      .filter((k) => goal[k] <= 0)
      .map((k) => solution[k] / (solution[k] - goal[k]));
    const step = Math.min(...steps);
    solution = solution.map((x, k) => x + step * (goal[k] - x));
    passive = passive.filter((k) => solution[k] > ENOUGH);
    goal = solveOn(normal, target, passive) ?? solution;
  }
  return { solution: goal, passive };
}
