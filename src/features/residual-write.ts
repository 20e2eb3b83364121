import type { MappedDesign } from './design.ts';
import type { MadeColumns } from './map-design.ts';
import type { MapWriter } from './map-writer.ts';
import type { PublicUnit } from './public-unit.ts';
import type { RandomUnits } from './random-units.ts';
import { type CarriedColumn, hiddenInputs, LARGEST_STEP } from './residual-layers.ts';
import type { LayerFactors } from './residual-terms.ts';

/** The columns that the first X is of: those of another map in their units, if there is one. */
export interface WrittenBase {
  readonly mapped: MappedDesign | undefined;
  readonly units: readonly PublicUnit[];
}

/** The arithmetic of X and F for other programs; absent if the map they are built on has none. */
export function residualWriter(
  { mapped, units }: WrittenBase,
  layers: readonly LayerFactors[],
  states: readonly (readonly CarriedColumn[])[],
  hidden: () => readonly RandomUnits[],
): Pick<MadeColumns, 'write'> {
  if (mapped !== undefined && mapped.weights === undefined && mapped.write === undefined) return {};
  return {
    write(writer) {
      const { affine, call, add, beside } = writer;
      const drawn = hidden();
      const hiddenOf = (x: typeof writer.inputs, t: number) => {
        const { weights, biases } = drawn[t];
        const scales = hiddenInputs(states[t]).map(({ publicUnit }) => publicUnit.scale);
        const width = biases.length;
        return call('relu', affine(x, rowsOver(weights, scales, width), biases));
      };
      let x = firstOf(writer, mapped, units);
      layers.forEach(({ rank, hidden: factor, output }, t) => {
        const step = affine(hiddenOf(x, t), factor.slice(rank), factor.slice(0, rank));
        x = add(x, affine(clipped(writer, step, rank), output));
      });
      return beside([x, hiddenOf(x, layers.length)]);
    },
  };
}

function firstOf<Matrix>(
  writer: MapWriter<Matrix>,
  mapped: MappedDesign | undefined,
  units: readonly PublicUnit[],
): Matrix {
  if (mapped === undefined) return writer.inputs;
  const made =
    mapped.weights === undefined
      ? mapped.write!(writer)
      : writer.affine(writer.inputs, mapped.weights());
  return writer.standardise(made, units);
}

/** Entries within ±LARGEST_STEP: max(0, v + L) − max(0, v − L) − L. */
function clipped<Matrix>(
  { affine, call, scale, add }: MapWriter<Matrix>,
  of: Matrix,
  width: number,
): Matrix {
  const all = (value: number) => new Float64Array(width).fill(value);
  const same = identity(width);
  const above = call('relu', affine(of, same, all(LARGEST_STEP)));
  const beyond = call('relu', affine(of, same, all(-LARGEST_STEP)));
  return affine(add(above, scale(beyond, -1)), same, all(-LARGEST_STEP));
}

function identity(width: number): Float64Array {
  return Float64Array.from({ length: width * width }, (_, k) => (k % (width + 1) === 0 ? 1 : 0));
}

/** A row-major matrix with row i over scales[i]. */
function rowsOver(matrix: Float64Array, scales: readonly number[], width: number): Float64Array {
  return matrix.map((value, k) => value / scales[Math.floor(k / width)]);
}
