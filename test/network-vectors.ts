import { readFileSync } from 'node:fs';
import type { Examples, Loss } from '../src/network/examples.ts';
import type { Network } from '../src/network/network.ts';
import { type NetworkPlan, planNetwork, valueCount } from '../src/network/network-plan.ts';

/** Every `step`-th of `length` numbers, and the largest of all by size. */
export interface SomeNumbers {
  readonly length: number;
  readonly step: number;
  readonly values: readonly number[];
  readonly largest: number;
}

interface Vector {
  readonly network: {
    readonly input: readonly [number, number, number];
    readonly layers: Network['layers'];
    readonly bias: boolean;
    readonly outputs: number;
    readonly rows: number;
    readonly loss: Loss;
  };
  readonly gradients: {
    readonly outputs: readonly number[];
    readonly loss: number;
    readonly weights: number;
    readonly step: number;
    readonly gradient: readonly number[];
    readonly largest: number;
    readonly length: number;
  };
  readonly fisher: {
    readonly diagonal: SomeNumbers;
    readonly inputs: readonly SomeNumbers[];
    readonly outputs: readonly SomeNumbers[];
    readonly full?: SomeNumbers;
  };
  readonly trajectories?: Readonly<Record<'momentum' | 'adam', readonly number[]>>;
}

const vectors: Readonly<Record<string, Vector>> = JSON.parse(
  readFileSync(new URL('vectors/network.json', import.meta.url), 'utf8'),
);

/** Numbers in (−0.5, 0.5) that `vectors/network.py` makes, too. */
function wave(count: number, seed: number): Float64Array {
  return Float64Array.from({ length: count }, (_, k) => {
    return ((k * k * 31 + k * (17 + seed) + seed * 97) % 1009) / 1009 - 0.5;
  });
}

/** A network of `vectors/network.py` with its weights. */
export interface VectorNetwork {
  readonly name: string;
  readonly vector: Vector;
  readonly plan: NetworkPlan;
  readonly weights: Float32Array;
  examples(rows?: number): Examples;
}

/** The networks of `vectors/network.py`, by name. */
export const vectorNetworks: readonly VectorNetwork[] = Object.entries(vectors).map(
  ([name, vector]) => {
    const { input, layers, bias, outputs, rows, loss } = vector.network;
    const [channels, height, width] = input;
    const plan = planNetwork({ layers, bias }, { channels, height, width }, outputs);
    const weights = new Float32Array(plan.weights);
    for (const { index, start, rows: units, columns } of plan.blocks) {
      const scale = Math.sqrt(columns - (bias ? 1 : 0));
      weights.set(
        wave(units * columns, index + 1).map((value) => (value * 3) / scale),
        start,
      );
    }
    const examples = (count = rows) => {
      const values = valueCount(plan.input);
      const inputs = Float32Array.from(wave(count * values, 50), (value) => 2 * value);
      const numbers = Float32Array.from(wave(count * outputs, 60), (value) => 2 * value);
      const classes = Uint8Array.from({ length: count }, (_, row) => (row * 5) % outputs);
      return tableExamples(
        inputs,
        values,
        loss === 'classes' ? { kind: loss, classes } : { kind: loss, numbers },
      );
    };
    return { name, vector, plan, weights, examples };
  },
);

/** Examples whose inputs stand in one array. */
export function tableExamples(
  inputs: Float32Array,
  values: number,
  answers: Examples['answers'],
): Examples {
  return {
    rows: inputs.length / values,
    answers,
    fill: (target, at, row) => target.set(inputs.subarray(row * values, (row + 1) * values), at),
  };
}
