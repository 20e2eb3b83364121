import { DataError } from '../data-error.ts';
import type { MapFunction, MapWriter } from '../features/map-writer.ts';
import { noImages } from './no-images.ts';
import type { PlannedMap } from './prediction-plan.ts';

/** How source code names the operations of a feature map; a matrix is the name of a variable. */
export interface MapLanguage {
  /** Its name: `R code`. */
  readonly name: string;
  /** The inputs in their public units. */
  readonly inputs: string;
  /** Defines a matrix of numbers, by its rows. */
  matrix(name: string, rows: readonly (readonly number[])[]): string;
  affine(of: string, matrix: string, constant: string): string;
  call(name: MapFunction, of: string): string;
  scale(of: string, factor: number): string;
  /** `centers` and `scales` are matrices of one row. */
  standardise(of: string, centers: string, scales: string): string;
  add(left: string, right: string): string;
  multiply(left: string, right: string): string;
  beside(parts: readonly string[]): string;
  assign(name: string, value: string): string;
}

/** A feature map as source code. */
export interface MapLines {
  /** Definitions of the matrices. */
  readonly matrices: readonly string[];
  /** Assignments, in order. */
  readonly lines: readonly string[];
  /** The variable with the map's part of the linear predictor: a column per response. */
  readonly link: string;
}

/** Most numbers in source code: about 20 MB of text. */
const MOST_NUMBERS = 1e6;

/** Writes a feature map line by line. Throws DataError for a map with too many numbers, or of images. */
export function mapLines({ inputs, link, made }: PlannedMap, language: MapLanguage): MapLines {
  const matrices: string[] = [];
  const lines: string[] = [];
  let numbers = 0;
  interface Value {
    readonly name: string;
    readonly width: number;
  }
  const assigned = (value: string, width: number): Value => {
    const name = `m${lines.length}`;
    lines.push(language.assign(name, value));
    return { name, width };
  };
  const defined = (values: Float64Array, rows: number): string => {
    numbers += values.length;
    if (numbers > MOST_NUMBERS) refuseLong();
    const name = `w${matrices.length}`;
    const width = values.length / rows;
    const row = (r: number) => Array.from(values.subarray(r * width, (r + 1) * width));
    matrices.push(
      language.matrix(
        name,
        Array.from({ length: rows }, (_, r) => row(r)),
      ),
    );
    return name;
  };
  const writer: MapWriter<Value> = {
    inputs: { name: language.inputs, width: inputs.length },
    affine(of, matrix, constant) {
      const width = matrix.length / of.width;
      const weights = defined(matrix, of.width);
      const start = defined(constant ?? new Float64Array(width), 1);
      return assigned(language.affine(of.name, weights, start), width);
    },
    call: (name, of) => assigned(language.call(name, of.name), of.width),
    scale: (of, factor) => assigned(language.scale(of.name, factor), of.width),
    standardise(of, units) {
      const centers = defined(
        Float64Array.from(units, ({ center }) => center),
        1,
      );
      const scales = defined(
        Float64Array.from(units, ({ scale }) => scale),
        1,
      );
      return assigned(language.standardise(of.name, centers, scales), of.width);
    },
    add: (left, right) => assigned(language.add(left.name, right.name), left.width),
    multiply: (left, right) => assigned(language.multiply(left.name, right.name), left.width),
    beside: (parts) =>
      assigned(
        language.beside(parts.map(({ name }) => name)),
        parts.reduce((sum, { width }) => sum + width, 0),
      ),
    images: () => noImages({ made }, language.name),
  };
  const { name } = link(writer);
  return { matrices, lines, link: name };
}

function refuseLong(): never {
  throw new DataError(
    `the feature map has more than ${MOST_NUMBERS / 1e6} million numbers, too many for source code`,
    {},
    'export ONNX, or predict with suffice',
  );
}
