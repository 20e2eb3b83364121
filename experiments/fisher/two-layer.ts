import { type CirclePoints, isBefore } from './circle-points.ts';

/** f(x) = Σ aᵣ max(wᵣ·x, 0) with two inputs; only the wᵣ are trained (FedFisher, eq. 8). */
export interface TwoLayer {
  /** aᵣ, each 1/√m or −1/√m. */
  readonly signs: Float64Array;
  /** wᵣ, two numbers a unit. */
  readonly weights: Float64Array;
}

/**
 * The arcs on which the units are active. Points on a circle that lie on one side of a line through its centre follow each other, so
 * a unit needs two places among them and not a product with each.
 */
interface Arcs {
  /** The first point with an angle above that of the line's one end, for each unit. */
  readonly from: Int32Array;
  /** The same for its other end. */
  readonly to: Int32Array;
  /** Whether the arc goes on at the first point after the last. */
  readonly around: Uint8Array;
}

/** Gradient descent on half the mean squared error. */
export function trained(
  points: CirclePoints,
  { signs, weights: first }: TwoLayer,
  steps: number,
  rate: number,
): Float64Array {
  const { count, x } = points;
  const weights = first.slice();
  const arcs = noArcs(signs.length);
  const sums = new Float64Array(2 * (count + 1));
  for (let step = 0; step < steps; step++) {
    moveArcs(arcs, points, weights);
    const outputs = outputsOf(points, signs, weights, arcs);
    for (let j = 0; j < count; j++) {
      const residual = (outputs[j]! - points.y[j]!) / count;
      sums[2 * j + 2] = sums[2 * j]! + residual * x[2 * j]!;
      sums[2 * j + 3] = sums[2 * j + 1]! + residual * x[2 * j + 1]!;
    }
    for (let r = 0; r < signs.length; r++) {
      const size = rate * signs[r]!;
      const from = 2 * arcs.from[r]!;
      const to = 2 * arcs.to[r]!;
      let first = sums[to]! - sums[from]!;
      let second = sums[to + 1]! - sums[from + 1]!;
      if (arcs.around[r] === 1) {
        first += sums[2 * count]!;
        second += sums[2 * count + 1]!;
      }
      weights[2 * r] = weights[2 * r]! - size * first;
      weights[2 * r + 1] = weights[2 * r + 1]! - size * second;
    }
  }
  return weights;
}

/** Half the mean squared error. */
export function halfSquaredError(points: CirclePoints, { signs, weights }: TwoLayer): number {
  const arcs = noArcs(signs.length);
  moveArcs(arcs, points, weights);
  const outputs = outputsOf(points, signs, weights, arcs);
  let sum = 0;
  outputs.forEach((output, j) => {
    sum += (output - points.y[j]!) * (output - points.y[j]!);
  });
  return sum / (2 * points.count);
}

/** Whether each unit is active at each point: 1 or 0, a row for each point. */
export function activeUnits(points: CirclePoints, { signs, weights }: TwoLayer): Uint8Array {
  const units = signs.length;
  const arcs = noArcs(units);
  moveArcs(arcs, points, weights);
  const active = new Uint8Array(points.count * units);
  for (let r = 0; r < units; r++) {
    const [from, to, around] = [arcs.from[r]!, arcs.to[r]!, arcs.around[r]!];
    for (let j = 0; j < points.count; j++) {
      const within = around === 1 ? j >= from || j < to : j >= from && j < to;
      if (within) active[j * units + r] = 1;
    }
  }
  return active;
}

function noArcs(units: number): Arcs {
  return {
    from: new Int32Array(units),
    to: new Int32Array(units),
    around: new Uint8Array(units),
  };
}

/** The arcs for new weights; they move little from step to step. */
function moveArcs({ from, to, around }: Arcs, points: CirclePoints, weights: Float64Array): void {
  for (let r = 0; r < from.length; r++) {
    const a = weights[2 * r]!;
    const b = weights[2 * r + 1]!;
    from[r] = movedPlace(points, from[r]!, b, -a);
    to[r] = movedPlace(points, to[r]!, -b, a);
    around[r] = a < 0 ? 1 : 0;
  }
}

/** The number of points whose angle is smaller than that of (a, b), looked for from a place near it. */
function movedPlace({ count, x }: CirclePoints, near: number, a: number, b: number): number {
  let place = near;
  while (place < count && isBefore(x[2 * place]!, x[2 * place + 1]!, a, b)) place++;
  while (place > 0 && !isBefore(x[2 * place - 2]!, x[2 * place - 1]!, a, b)) place--;
  return place;
}

/** f at every point: units enter and leave a running sum of aᵣwᵣ where their arcs begin and end. */
function outputsOf(
  { count, x }: CirclePoints,
  signs: Float64Array,
  weights: Float64Array,
  { from, to, around }: Arcs,
): Float64Array {
  const changes = new Float64Array(2 * (count + 1));
  for (let r = 0; r < signs.length; r++) {
    const first = signs[r]! * weights[2 * r]!;
    const second = signs[r]! * weights[2 * r + 1]!;
    const start = 2 * from[r]!;
    const end = 2 * to[r]!;
    changes[start] = changes[start]! + first;
    changes[start + 1] = changes[start + 1]! + second;
    changes[end] = changes[end]! - first;
    changes[end + 1] = changes[end + 1]! - second;
    if (around[r] === 1) {
      changes[0] = changes[0]! + first;
      changes[1] = changes[1]! + second;
    }
  }
  const outputs = new Float64Array(count);
  let [first, second] = [0, 0];
  for (let j = 0; j < count; j++) {
    first += changes[2 * j]!;
    second += changes[2 * j + 1]!;
    outputs[j] = first * x[2 * j]! + second * x[2 * j + 1]!;
  }
  return outputs;
}
