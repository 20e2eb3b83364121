import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DataError } from '../src/data-error.ts';
import { arccosineMap } from '../src/features/arccosine-map.ts';
import { backboneMap } from '../src/features/backbone-map.ts';
import { convolutionMap } from '../src/features/convolution-map.ts';
import { createDesign, type Design, type MappedDesign } from '../src/features/design.ts';
import type { FeatureMap } from '../src/features/feature-map.ts';
import { featureMaps } from '../src/features/feature-maps.ts';
import type { FeatureTerms } from '../src/features/feature-text.ts';
import { fourierMap } from '../src/features/fourier-map.ts';
import { mapDesign } from '../src/features/map-design.ts';
import type { MapFunction, MapWriter } from '../src/features/map-writer.ts';
import { mappedColumns, mappedNames } from '../src/features/mapped-columns.ts';
import { networkMap } from '../src/features/network-map.ts';
import { nystromMap } from '../src/features/nystrom-map.ts';
import { projectionMap } from '../src/features/projection-map.ts';
import {
  numbersText,
  type ResidualFeature,
  type ResidualLayer,
} from '../src/features/residual-terms.ts';
import { restrictDesign } from '../src/features/restrict-design.ts';
import { tangentMap } from '../src/features/tangent-map.ts';
import { resolveRidge } from '../src/fusion/ridge.ts';
import { createReport } from '../src/model/report.ts';
import { linearMap, unfold, withOriginal } from '../src/model/unfold.ts';
import { perceptron } from '../src/network/known-networks.ts';
import type { Network } from '../src/network/network.ts';
import { imageValues, plainValues } from '../src/network/network-plan.ts';
import { weightText } from '../src/network/weight-text.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { releasedLabels } from '../src/rows/inspection.ts';
import { crossProductLayout, summarizer } from '../src/statistic/cross-product.ts';
import { type LinearStatistic, sumStatistics } from '../src/statistic/statistic.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { parseFormula } from '../src/study/formula.ts';
import { pixelNames } from '../src/study/image-study.ts';
import type { ImageShape } from '../src/study/study.ts';
import { drawnBackbone } from './drawn-backbone.ts';
import { drawnNetwork } from './drawn-network.ts';
import { cases as tries } from './endurance.ts';
import { unitsStudy, unitsTable } from './projected.ts';
import { everyRow } from './tables.ts';

interface SquareTerms extends FeatureTerms {
  readonly kind: 'square';
}

/** The square of every column: as many as there are; not linear, and no bound that holds for all tables. */
const squareMap: FeatureMap<SquareTerms> = {
  kind: 'square',
  schema: (z) => z.strictObject({ kind: z.literal('square') }),
  noun: 'square',
  verb: 'square',
  made: { one: 'square', many: 'squares' },
  width: (_, columns) => columns,
  text: () => 'squares',
  choices: () => 'public units',
  apply: (design, terms) =>
    mapDesign(design, squareMap, terms, (given) => ({
      term: 'square',
      columns: given.map(({ interval: { low, high }, publicUnit: { center, scale } }, j) => {
        const most = Math.max(Math.abs(low - center), Math.abs(high - center)) / scale;
        return {
          name: `square${j + 1}`,
          reference: { center: 0, scale: 2 ** Math.ceil(1 + 2 * Math.log2(most || 1)) },
          publicUnit: { center: 0, scale: 1 },
          interval: { low: 0, high: most * most },
        };
      }),
      write: ({ inputs, multiply }) => multiply(inputs, inputs),
      mapper: () => (columns, rows, target) => {
        columns.forEach(({ values, center, scale }, j) => {
          for (let r = 0; r < rows; r++) target[j][r] = ((values[r] - center) / scale) ** 2;
        });
      },
    })),
};

interface WaveTerms extends FeatureTerms {
  readonly kind: 'wave';
  readonly frequencies: number;
}

/** Triangle waves of the sum of the columns, each within ±1/√m: a bound, and no coefficients of the columns. */
const waveMap: FeatureMap<WaveTerms> = {
  kind: 'wave',
  schema: (z) => z.strictObject({ kind: z.literal('wave'), frequencies: z.int() }),
  noun: 'wave',
  verb: 'wave',
  made: { one: 'triangle wave', many: 'triangle waves' },
  width: ({ frequencies }) => frequencies,
  text: ({ frequencies }) => `${frequencies} triangle waves`,
  choices: ({ frequencies }) => `${frequencies} frequencies`,
  bound: () => 1,
  apply(design, terms) {
    const { frequencies } = terms;
    if (!(Number.isInteger(frequencies) && frequencies > 0)) {
      throw new DataError('the frequencies of a wave must be one at least', {}, 'ask for 2');
    }
    const size = 1 / Math.sqrt(frequencies);
    return mapDesign(design, waveMap, terms, () => ({
      term: 'wave',
      columns: Array.from({ length: frequencies }, (_, j) => ({
        name: `wave${j + 1}`,
        reference: { center: 0, scale: 2 },
        publicUnit: { center: 0, scale: 1 },
        interval: { low: -size, high: size },
      })),
      mapper: () => (columns, rows, target) => {
        for (let r = 0; r < rows; r++) {
          const sum = columns.reduce(
            (total, { values, center, scale }) => total + (values[r] - center) / scale,
            0,
          );
          target.forEach((wave, j) => {
            const phase = (sum * (j + 1)) / 4;
            wave[r] = size * (4 * Math.abs(phase - Math.round(phase)) - 1);
          });
        }
      },
    }));
  },
};

/** What a map is applied to: rows, and designs over their columns. */
interface Ground {
  /** Predictors of the plain design. */
  readonly columns: number;
  readonly codebook: Codebook;
  /** A row of the same table for each of `rows`. */
  readonly cells: Cells;
  /** The design of a formula; that of all predictors unless given. */
  plain(formula?: string): Design;
  /** The formula of the plain design, and one with slopes by site. */
  readonly formula: string;
  readonly slopes: string;
  /** A design of other columns. */
  other(): Design;
  /** A design that has a column of this name beside the predictors. */
  taken(name: string): Design;
}

/** A map with terms that suit its ground, terms that do not, and the words they are refused with. */
interface MapCase<Terms extends FeatureTerms = FeatureTerms> {
  readonly map: FeatureMap<Terms>;
  readonly ground: Ground;
  readonly terms: Terms;
  readonly other: Terms;
  readonly refused: readonly (readonly [Terms, RegExp])[];
  /** Largest error of what it writes for other programs; 1e-9 unless given. */
  readonly precision?: number;
  /** Set if it takes images and tables. */
  readonly anyGround?: true;
}

/** Infers the terms, so that a row of the table is checked against its map. */
function mapCase<Terms extends FeatureTerms>(row: MapCase<Terms>): MapCase {
  return row;
}

const rows = everyRow(unitsTable);
const kernels = createKernels();
const site = { '.site': { type: 'category', levels: ['a', 'b'] } } as const;
const digest = `sha256:${'0'.repeat(64)}`;
const from = { study: digest, total: digest };
const layered: ResidualFeature = {
  ...{ kind: 'residual', dimension: 4, seed: 7 },
  of: { kind: 'projection', dimension: 3, seed: 7 },
};

/** A layer of rank 1 with factors of so many numbers. */
function layer(hidden: number, output: number, size = 0.5): ResidualLayer {
  const numbers = (length: number) =>
    numbersText(Float64Array.from({ length }, (_, k) => size * (1 - ((k * 7) % 5) / 2)));
  return { hidden: numbers(hidden), output: numbers(output), score: 0.5 };
}

type Cells = Readonly<Record<string, Float64Array>>;
const siteCells = { '.site': Float64Array.from(rows, (r) => (r < 50 ? 0 : 1)) };

/** Numbers in four units and a category. */
const tableGround: Ground = {
  columns: 5,
  codebook: unitsStudy.codebook,
  cells: { ...unitsTable.cells, ...siteCells },
  formula: unitsStudy.formula,
  slopes: 'z ~ kg*.site + year + dose + g',
  plain: (formula = unitsStudy.formula) =>
    createDesign(parseFormula(formula), { ...unitsStudy.codebook, ...site }),
  other: () => tableGround.plain('z ~ kg + year + dose + g + kg:year'),
  taken: (name) =>
    createDesign(parseFormula(`z ~ kg + year + dose + g + ${name}`), {
      ...unitsStudy.codebook,
      [name]: { type: 'number', range: [0, 1] },
    }),
};

/** Images with noise, lines and, in one row of ten, nothing at all. */
function imageGround(image: ImageShape): Ground {
  const names = pixelNames(image);
  const words = seededWords(3);
  const pixel = (k: number, r: number) => {
    if (r % 10 === 0) return r;
    const line = Math.floor(k / image.channels) % image.width === r % image.width ? 150 : 0;
    return line + (words() % 100);
  };
  const { z } = unitsStudy.codebook;
  const codebook: Codebook = {
    z,
    ...Object.fromEntries(
      names.map((name) => [name, { type: 'number', range: [0, 255], center: 0, sd: 255 } as const]),
    ),
  };
  const formula = `z ~ ${names.join(' + ')}`;
  const design = (text: string, shape: ImageShape, more: Codebook = {}): Design => ({
    ...createDesign(parseFormula(text), { ...codebook, ...site, ...more }),
    image: shape,
  });
  return {
    columns: names.length,
    codebook,
    cells: {
      z: unitsTable.cells.z,
      ...siteCells,
      ...Object.fromEntries(
        names.map((name, k) => [name, Float64Array.from(rows, (r) => pixel(k, r))]),
      ),
    },
    formula,
    slopes: `${formula} + ${names[0]}:.site`,
    plain: (text = formula) => design(text, image),
    other: () => design(formula, { ...image, height: image.width, width: image.height }),
    taken: (name) =>
      design(`${name} ~ ${names.join(' + ')}`, image, {
        [name]: { type: 'number', range: [0, 1] },
      }),
  };
}

/** A network has weights for so many columns, and for no others. */
const fiveColumns: Ground = {
  ...tableGround,
  other: () => tableGround.plain('z ~ kg + year + kg:dose + g'),
  taken: (name) =>
    createDesign(parseFormula(`${name} ~ kg + year + dose + g`), {
      ...unitsStudy.codebook,
      [name]: { type: 'number', range: [0, 1] },
    }),
};

const smallImage = { height: 6, width: 5, channels: 3 } as const;
const smallNetwork: Network = {
  layers: [
    ...[{ kind: 'convolution', channels: 4, size: 3, padding: 1 }, { kind: 'relu' }],
    ...[{ kind: 'max-pool', size: 2 }, { kind: 'dense', units: 5 }, { kind: 'relu' }],
  ] as const,
};

const cases: readonly MapCase[] = [
  mapCase({
    map: backboneMap,
    ground: imageGround({ height: 3, width: 4, channels: 3 }),
    terms: drawnBackbone(['conv_8'], 32),
    other: drawnBackbone(['conv_8'], 48),
    refused: [],
  }),
  mapCase({
    map: projectionMap,
    ground: tableGround,
    terms: { kind: 'projection', dimension: 3, seed: 7 },
    other: { kind: 'projection', dimension: 2, seed: 8 },
    refused: [
      [{ kind: 'projection', dimension: 5, seed: 7 }, /a projection of 5 columns to 5/],
      [{ kind: 'projection', dimension: 20_000_000, seed: 7 }, /a projection of 5 columns/],
    ],
  }),
  mapCase({
    map: projectionMap,
    ground: tableGround,
    terms: { kind: 'projection', matrix: 'sparse', dimension: 3, seed: 7 },
    other: { kind: 'projection', matrix: 'hadamard', dimension: 3, seed: 7 },
    refused: [
      [{ kind: 'projection', matrix: 'sparse', dimension: 5, seed: 7 }, /of 5 columns to 5/],
    ],
  }),
  mapCase({
    map: projectionMap,
    ground: tableGround,
    terms: { kind: 'projection', matrix: 'hadamard', dimension: 4, seed: 8 },
    other: { kind: 'projection', dimension: 4, seed: 8 },
    refused: [
      [{ kind: 'projection', matrix: 'hadamard', dimension: 6, seed: 7 }, /of 5 columns to 6/],
    ],
  }),
  mapCase({
    map: featureMaps.residual,
    ground: tableGround,
    terms: { kind: 'residual', dimension: 4, seed: 7 },
    other: { kind: 'residual', dimension: 3, seed: 8, contacts: 2 },
    refused: [
      [
        { kind: 'residual', dimension: 20_000_000, seed: 7 },
        /a residual map of 5 columns to 20000000/,
      ],
      [{ kind: 'residual', dimension: 4, seed: 7, from }, /names a resolution/],
      [
        {
          ...{ kind: 'residual', dimension: 4, seed: 7 },
          of: { kind: 'fourier', dimension: 8, kernel: 'rbf', bandwidth: [1, 2], seed: 7 },
        },
        /cannot choose among several settings/,
      ],
    ],
  }),
  mapCase({
    map: featureMaps.residual,
    ground: tableGround,
    terms: { ...layered, layers: [layer(5, 3), layer(5, 3, 0.25)] },
    other: { ...layered, layers: [layer(5, 3)] },
    refused: [
      [{ ...layered, layers: [layer(5, 5)] }, /layer 1 of the study does not fit 3 columns/],
      [{ ...layered, layers: [layer(5, 3), layer(6, 3)] }, /layer 2 of the study/],
      [{ ...layered, layers: [layer(5, 3, Number.NaN)] }, /layer 1 of the study/],
      [{ ...layered, layers: [layer(5, 3, 1e308)] }, /residual1 can become too large/],
    ],
  }),
  mapCase({
    map: fourierMap,
    ground: tableGround,
    terms: { kind: 'fourier', dimension: 8, kernel: 'rbf', seed: 7 },
    other: { kind: 'fourier', dimension: 6, kernel: 'laplace', bandwidth: 3, seed: 0 },
    refused: [
      [{ kind: 'fourier', dimension: 7, kernel: 'rbf', seed: 7 }, /so 7 is no dimension/],
      [
        { kind: 'fourier', dimension: 8, kernel: 'rbf', bandwidth: 1e-300, seed: 7 },
        /a bandwidth of 1e-300 is too small/,
      ],
      [
        { kind: 'fourier', dimension: 8, kernel: 'matern-1/2', bandwidth: 5e-324, seed: 7 },
        /a bandwidth of 5e-324 is too small/,
      ],
      [
        { kind: 'fourier', dimension: 8, kernel: 'rbf', bandwidth: 1e300, seed: 7 },
        /a bandwidth of 1e\+300 is too large/,
      ],
      [
        { kind: 'fourier', dimension: 8, kernel: 'rbf', bandwidth: [2, 2], seed: 7 },
        /two bandwidths of the Fourier map are equal/,
      ],
      [
        { kind: 'fourier', dimension: 5000, kernel: 'rbf', bandwidth: [1, 2, 3], seed: 7 },
        /3 bandwidths of 5000 columns/,
      ],
      [
        { kind: 'fourier', dimension: 8, kernel: 'laplace', orthogonal: true, seed: 7 },
        /a Laplace kernel cannot be orthogonal/,
      ],
    ],
  }),
  mapCase({
    map: nystromMap,
    ground: tableGround,
    terms: { kind: 'nystrom', landmarks: 6, kernel: 'matern-3/2', seed: 2 ** 32 - 1 },
    other: { kind: 'nystrom', landmarks: 4, kernel: 'laplace', bandwidth: 3 },
    refused: [
      [
        {
          ...{ kind: 'nystrom', kernel: 'rbf' },
          landmarks: [
            { kg: 70, year: 1980, dose: 0.001, g: 'b' },
            { kg: 71, year: 1980, dose: 0.001, g: 'b' },
            { kg: 70, year: 1980, dose: 0.001, g: 'b' },
          ],
        },
        /landmarks 1 and 3 are equal/,
      ],
      [
        {
          ...{ kind: 'nystrom', kernel: 'rbf' },
          landmarks: [{ kg: 111, year: 1980, dose: 0.001, g: 'b' }],
        },
        /landmark 1 has kg outside its range/,
      ],
      [
        { kind: 'nystrom', kernel: 'rbf', landmarks: [{ kg: 70, year: 1980, dose: 0.001 }] },
        /landmark 1: no value for g was given/,
      ],
      [
        { kind: 'nystrom', landmarks: 5, kernel: 'matern-5/2', bandwidth: 1e-300 },
        /a bandwidth of 1e-300 is too small/,
      ],
      [
        { kind: 'nystrom', landmarks: 5, kernel: 'rbf', bandwidth: 1e300 },
        /a bandwidth of 1e\+300 is too large/,
      ],
    ],
  }),
  mapCase({
    map: tangentMap,
    ground: tableGround,
    terms: { kind: 'tangent', dimension: 8, seed: 0 },
    other: { kind: 'tangent', dimension: 8, seed: 2 ** 32 - 1 },
    refused: [
      [{ kind: 'tangent', dimension: 7, seed: 7 }, /so 7 is no dimension/],
      [{ kind: 'tangent', dimension: 20_000_000, seed: 7 }, /a tangent map of 5 columns/],
    ],
  }),
  mapCase({
    map: arccosineMap,
    ground: tableGround,
    terms: { kind: 'arccosine', dimension: 6, degree: 2, seed: 7 },
    other: { kind: 'arccosine', dimension: 6, degree: 0, seed: 7 },
    refused: [[{ kind: 'arccosine', dimension: 20_000_000, seed: 7 }, /of 5 columns to 20000000/]],
  }),
  mapCase<SquareTerms>({
    map: squareMap,
    ground: tableGround,
    terms: { kind: 'square' },
    other: { kind: 'square' },
    refused: [],
  }),
  mapCase<WaveTerms>({
    map: waveMap,
    ground: tableGround,
    terms: { kind: 'wave', frequencies: 4 },
    other: { kind: 'wave', frequencies: 2 },
    refused: [[{ kind: 'wave', frequencies: 0 }, /frequencies of a wave/]],
  }),
  mapCase({
    map: networkMap,
    ground: fiveColumns,
    terms: drawnNetwork(perceptron(6, 4), plainValues(5), 1),
    other: drawnNetwork(perceptron(6, 4), plainValues(5), 2),
    refused: [
      [drawnNetwork(perceptron(6, 4), plainValues(6), 1), /do not fit its network, which has 64/],
      [{ ...drawnNetwork(perceptron(6, 4), plainValues(5), 1), dimension: 5 }, /takes 4 values/],
      [
        { ...drawnNetwork(perceptron(6), plainValues(5), 1), weights: weightText([Number.NaN]) },
        /do not fit its network/,
      ],
      [
        {
          ...drawnNetwork(perceptron(1), plainValues(5), 1),
          weights: weightText(new Float32Array(6).fill(1e38)),
        },
        /network1 can become too large/,
      ],
      [
        {
          ...drawnNetwork(perceptron(1, 1), plainValues(5), 1),
          weights: weightText([...new Float32Array(6).fill(1e38), 0, 0]),
        },
        /network1 can become too large/,
      ],
    ],
    // It computes in single precision.
    precision: 1e-5,
  }),
  mapCase({
    map: networkMap,
    ground: imageGround(smallImage),
    terms: drawnNetwork(smallNetwork, imageValues(smallImage), 1),
    other: drawnNetwork({ ...smallNetwork, bias: false }, imageValues(smallImage), 1),
    refused: [
      [
        drawnNetwork({ layers: [{ kind: 'relu' }], pixels: [] }, imageValues(smallImage), 1),
        /scales of 0 channels, and an image has 3/,
      ],
    ],
  }),
  mapCase({
    map: networkMap,
    ground: imageGround({ height: 2, width: 3, channels: 3 }),
    terms: drawnNetwork(perceptron(4), imageValues({ height: 2, width: 3, channels: 3 }), 1),
    other: drawnNetwork(perceptron(4), imageValues({ height: 2, width: 3, channels: 3 }), 2),
    refused: [],
    precision: 1e-5,
    anyGround: true,
  }),
  mapCase({
    map: convolutionMap,
    ground: imageGround({ height: 6, width: 5, channels: 3 }),
    terms: { kind: 'convolution', dimension: 25, size: 3, pooling: 2, seed: 7 },
    other: { kind: 'convolution', dimension: 25, size: 4, pooling: 2, seed: 0 },
    refused: [
      [{ kind: 'convolution', dimension: 253, seed: 7 }, /filter of 7 × 7 .* image of 6 × 5/],
      [{ kind: 'convolution', dimension: 25, size: 5, pooling: 2, seed: 7 }, /does not fit/],
      [{ kind: 'convolution', dimension: 51, size: 2, pooling: 5, seed: 7 }, /does not fit/],
      [{ kind: 'convolution', dimension: 250, seed: 7 }, /18 columns.*so 250 is no dimension/],
      [{ kind: 'convolution', dimension: 20_000_001, seed: 7 }, /dimension 20000001 is too large/],
    ],
  }),
];

type Numbers = readonly (readonly number[])[];

/** The arithmetic of a map over rows of numbers, with the engine's own functions. */
function arrayWriter(inputs: Numbers): MapWriter<Numbers> {
  const functions: Readonly<Record<MapFunction, (value: number) => number>> = {
    ...{ abs: Math.abs, cos: Math.cos, exp: Math.exp, sin: Math.sin, sqrt: Math.sqrt },
    relu: (value) => Math.max(0, value),
    step: (value) => Number(value > 0),
  };
  return {
    inputs,
    affine: (of, matrix, constant) =>
      of.map((row) => {
        const width = matrix.length / row.length;
        return Array.from({ length: width }, (_, j) =>
          row.reduce((sum, value, i) => sum + value * matrix[i * width + j], constant?.[j] ?? 0),
        );
      }),
    call: (name, of) => of.map((row) => row.map(functions[name])),
    scale: (of, factor) => of.map((row) => row.map((value) => value * factor)),
    standardise: (of, units) =>
      of.map((row) => row.map((value, j) => (value - units[j].center) / units[j].scale)),
    add: (left, right) => left.map((row, r) => row.map((value, j) => value + right[r][j])),
    multiply: (left, right) => left.map((row, r) => row.map((value, j) => value * right[r][j])),
    beside: (parts) => parts[0].map((_, r) => parts.flatMap((part) => part[r])),
    images: () => {
      throw new NeedsImages();
    },
  };
}

class NeedsImages extends Error {}

function writtenBy(write: NonNullable<MappedDesign['write']>, inputs: Numbers): Numbers | 'images' {
  try {
    return write(arrayWriter(inputs));
  } catch (problem) {
    if (problem instanceof NeedsImages) return 'images';
    throw problem;
  }
}

/** Rows drawn over the whole of the codebook's ranges, their ends among them. */
function drawnCells({ codebook }: Ground): Cells {
  const words = seededWords(5);
  const { g } = unitsTable.cells;
  return Object.fromEntries(
    Object.entries(codebook).map(([name, { type, ...column }]) => {
      const [low, high] = 'range' in column && column.range ? column.range : [0, 0];
      const anywhere = () => {
        const at = words() / 2 ** 32;
        return at < 0.2 ? low : at > 0.8 ? high : low + ((at - 0.2) / 0.6) * (high - low);
      };
      return [name, type === 'category' ? g : Float64Array.from(rows, anywhere)];
    }),
  );
}

/** The columns of z over some rows, handed over in blocks of so many. */
function values(
  design: Design,
  table: Cells,
  some: readonly number[] = rows,
  blockRows = some.length,
) {
  const whole = design.columns.map(() => new Float64Array(some.length));
  for (let from = 0; from < some.length; from += blockRows) {
    const part = some.slice(from, from + blockRows);
    const hi = design.columns.map(() => new Float64Array(part.length));
    const lo = design.columns.map(() => new Float64Array(part.length));
    const columns = design.variables.map((name) => Float64Array.from(part, (r) => table[name][r]));
    design.evaluate({ rows: part.length, columns }, { file: '', rowOf: (r) => r }, hi, lo);
    hi.forEach((column, k) => {
      whole[k].set(column, from);
    });
  }
  return whole;
}

const mappedValues = (design: Design, table: Cells) =>
  values(design, table).filter((_, k) => design.columns[k].origin === 'mapped');

/** Columns as texts of their bits, which compare faster than numbers one by one. */
const bitsOf = (columns: readonly (Float64Array | Uint32Array)[]) =>
  columns.map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
  );

const layoutOf = (design: Design) =>
  crossProductLayout(design, { arithmetic: 'exact', grid: 44, largestWeight: null });

function statisticOf(
  design: Design,
  cells: Cells,
  some: readonly number[],
  blockRows = 64,
): LinearStatistic {
  return kernels.scoped(() => {
    const sums = summarizer(design, layoutOf(design), {
      ...{ file: '', missing: 'drop', kernels, fewRows: true },
    });
    for (let from = 0; from < some.length; from += blockRows) {
      const part = some.slice(from, from + blockRows);
      const columns = design.variables.map((name) =>
        Float64Array.from(part, (r) => cells[name][r]),
      );
      sums.add({ rows: part.length, columns }, (r) => r + 1);
    }
    return sums.finish().statistic;
  });
}

it('every map of the registry, under its own kind, has a row here', () => {
  for (const [kind, map] of Object.entries(featureMaps)) {
    expect(map.kind).toBe(kind);
    expect(cases.map((row) => row.map)).toContain(map);
  }
});

/** Files that know the word for something else: a kind of failure, a layer of a network. */
const otherMeanings: Readonly<Record<string, RegExp>> = {
  network:
    /^(failure|protocol\/(network-failure|refusal)|node\/store\/postgres-tls|node\/database\/(clickhouse|(clickhouse|mysql|postgres)-refusals)|coordinator\/(helper-answer|due-sums|ask-links)|fusion\/(network-)?method)\.ts$/,
  convolution: /^(network\/|features\/network-|cli\/network-flags|fusion\/drawn-layers)/,
};

it('no map is known by its kind but to itself, the registry and study/', () => {
  const source = fileURLToPath(new URL('../src', import.meta.url));
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('study/') && !/wasm/.test(file),
  );
  const comment = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
  const codes = files.map((file) => ({
    file,
    code: readFileSync(join(source, file), 'utf8').replaceAll(comment, ''),
  }));
  for (const kind of Object.keys(featureMaps)) {
    const name = new RegExp(`['"\`]${kind}['"\`]`, 'i');
    const knowing = codes.filter(({ code }) => name.test(code)).map(({ file }) => file);
    const own = new RegExp(`^features/(${kind}(-\\w+)*|feature-maps)\\.ts$`);
    const others = knowing.filter((file) => !own.test(file));
    expect(others.filter((file) => otherMeanings[kind]?.test(file) !== true)).toEqual([]);
    expect(knowing).toContain(`features/${kind}-map.ts`);
  }
});

describe.each(cases.map((row) => [row.map.kind, row] as const))('%s', (_, row) => {
  const { map, ground, terms, other, refused, precision = 1e-9, anyGround } = row;
  const { cells, columns } = ground;
  const drawn = drawnCells(ground);
  const design = map.apply(ground.plain(), terms);

  it('is the same for every party: columns, layout and values to the last bit', () => {
    const again = map.apply(ground.plain(), structuredClone(terms));
    map.apply(ground.plain(), other); // what was asked in between does not matter
    expect(again.columns).toEqual(design.columns);
    expect(layoutOf(again)).toEqual(layoutOf(design));
    expect(bitsOf(mappedValues(again, cells))).toEqual(bitsOf(mappedValues(design, cells)));
  });

  it('gives a row the same bits whatever rows stand beside it', () => {
    const whole = values(design, cells);
    for (const blockRows of [1, 7, 64])
      expect(bitsOf(values(design, cells, rows, blockRows))).toEqual(bitsOf(whole));
  });

  it('replaces the terms and leaves constant, .site and responses', () => {
    const plain = ground.plain(`${ground.formula} + .site`);
    const mapped = map.apply(plain, terms);
    const kept = (made: Design) =>
      made.columns.flatMap(({ name, origin }, k) =>
        origin === 'term' || origin === 'mapped'
          ? []
          : [{ name, origin, values: values(made, cells)[k] }],
      );
    expect(kept(mapped)).toEqual(kept(plain));
    expect(mapped.columns.filter(({ origin }) => origin === 'term')).toEqual([]);
    expect(mappedColumns(mapped)).toHaveLength(map.width(terms, columns));
    expect(mapped.mapped).toMatchObject({ from: plain, terms });
    const label = mappedColumns(mapped)[0].term;
    expect(restrictDesign(mapped, ['.site']).mapped).toBeDefined();
    expect(restrictDesign(mapped, [label]).mapped).toBeUndefined();
    expect(mappedNames(restrictDesign(mapped, [label]))).toEqual(new Set());
  });

  it('keeps every value inside its interval and its frame', () => {
    const made = mappedValues(design, drawn);
    const outside = mappedColumns(design).flatMap(({ interval, reference }, j) => {
      const { low, high } = interval;
      const { center, scale } = reference;
      const isInside = (value: number) =>
        value >= low && value <= high && Math.abs(value - center) <= scale;
      return [...made[j]].filter((value) => !isInside(value));
    });
    expect(outside).toEqual([]);
  });

  it('adds: parts in any order are the whole to the last bit, and resolve to it', () => {
    const whole = statisticOf(design, cells, rows);
    fc.assert(
      fc.property(fc.array(fc.nat(2), { minLength: rows.length, maxLength: rows.length }), (of) => {
        const parts = [2, 0, 1].map((k) => rows.filter((r) => of[r] === k));
        const sum = sumStatistics(
          layoutOf(design),
          parts.map((part, k) => statisticOf(design, cells, part, 1 + 20 * k)),
        );
        expect(bitsOf([sum.values])).toEqual(bitsOf([whole.values]));
      }),
      { numRuns: tries(10) },
    );
    const fit = resolveRidge(whole, { kind: 'ridge', ridge: 0.3 });
    expect('problem' in fit).toBe(false);
  });

  it('keeps the bound on ‖φ(x)‖ that it claims', () => {
    const most = map.bound?.(terms);
    if (most === undefined) return;
    const made = mappedValues(design, drawn);
    const lengths = rows.map((r) => Math.hypot(...made.map((column) => column[r])));
    expect(Math.max(...lengths)).toBeLessThanOrEqual(most * (1 + 1e-12));
  });

  it('writes for other programs what it computes, unless it is linear', () => {
    const { write, weights, columns: mapped, from } = design.mapped!;
    if (write === undefined) return;
    expect(weights).toBeUndefined();
    const original = values(from, cells);
    const inputs = rows.map((r) =>
      mapped.map((index) => {
        const { center, scale } = from.columns[index].publicUnit;
        return (original[index][r] - center) / scale;
      }),
    );
    const written = writtenBy(write, inputs);
    if (written === 'images') return; // onnx-images.endure.test.ts
    const made = mappedValues(design, cells);
    expect(written[0]).toHaveLength(made.length);
    const apart = made.flatMap((column, j) => rows.map((r) => Math.abs(written[r][j] - column[r])));
    expect(apart.filter((difference) => !(difference < precision))).toEqual([]);
  });

  it('unfolds to the predictions of the mapped model where it is linear, and not otherwise', () => {
    const linear = linearMap(design);
    expect(linear === undefined).toBe(design.mapped?.weights === undefined);
    if (linear === undefined) return;
    const fit = resolveRidge(statisticOf(design, cells, rows), { kind: 'ridge', ridge: 0.3 });
    if ('problem' in fit) throw new Error(fit.problem);
    const [{ terms: names, estimates }] = fit.models;
    const unfolded = unfold(linear, { terms: names, estimates, covariance: () => undefined });
    const predicted = (made: Design, weights: ReadonlyMap<string, number>) => {
      const own = values(made, cells);
      return rows.map((r) =>
        made.columns.reduce((sum, { name }, k) => sum + (weights.get(name) ?? 0) * own[k][r], 0),
      );
    };
    const byMap = predicted(design, new Map(names.map((name, k) => [name, estimates[k]])));
    const byColumns = predicted(
      ground.plain(),
      new Map(unfolded.map(({ term, estimate }) => [term, estimate])),
    );
    const size = Math.max(...byMap.map(Math.abs));
    byMap.forEach((value, r) => {
      expect(Math.abs(byColumns[r] - value), `row ${r}`).toBeLessThan(1e-11 * size);
    });
  });

  it('stands in a report under its kind, with coefficients of the columns where it is linear', () => {
    const total = statisticOf(design, cells, rows);
    const fit = resolveRidge(total, { kind: 'ridge', ridge: 0.3 });
    if ('problem' in fit) throw new Error(fit.problem);
    const plain = createReport(fit, { formula: '', sites: [], digest: '' });
    const models = fit.models.map((model) => ({ ...model, covariance: () => undefined }));
    const { original, ...told } = withOriginal(plain, design, models);
    const { kind, ...choices } = terms;
    expect(told).toEqual({ ...plain, [kind]: { ...choices, columns } });
    expect(original === undefined).toBe(linearMap(design) === undefined);
    // Without the map's term nothing is told of it.
    const label = mappedColumns(design)[0].term;
    expect(withOriginal(plain, restrictDesign(design, [label]), models)).toBe(plain);
  });

  it('is told in words that are there, and that the terms alone decide', () => {
    const told = () => [
      ...[map.noun, map.verb, map.made.one, map.made.many, map.text(terms), map.choices(terms)],
      ...[map.loss?.(map.width(terms, columns)), map.note?.(terms, columns)],
    ];
    const before = told();
    values(design, cells);
    expect(told()).toEqual(before);
    for (const words of before) expect(words ?? 'nothing to say').toMatch(/\w/);
    for (const name of Object.keys(unitsTable.cells)) {
      for (const words of before) expect(words ?? '').not.toMatch(new RegExp(`\\b${name}\\b`));
    }
  });

  it('has columns that a ledger knows by the choices and the columns they are of', () => {
    const labels = (made: Design) =>
      releasedLabels({
        columns: [],
        regression: { study: unitsStudy, design: made, layout: layoutOf(made) },
      });
    const own = labels(design);
    const others = labels(map.apply(ground.other(), terms));
    const names = [...mappedNames(design)];
    expect(
      own.filter((label) => names.some((name) => label.startsWith(`${name} of `))),
    ).toHaveLength(names.length);
    expect(own.filter((label) => label.includes(' of ') && others.includes(label))).toEqual([]);
    if (map.choices(terms) === map.choices(other)) return;
    const elsewhere = labels(map.apply(ground.plain(), other));
    expect(own.filter((label) => label.includes(' of ') && elsewhere.includes(label))).toEqual([]);
  });

  it.each(refused.map(([bad, words]) => [JSON.stringify(bad), bad, words] as const))(
    'refuses %s by name',
    (_name, bad, words) => {
      expect(() => map.apply(ground.plain(), bad)).toThrow(DataError);
      expect(() => map.apply(ground.plain(), bad)).toThrow(words);
    },
  );

  it('refuses a formula it has nothing to do with, slopes by site, and names it needs', () => {
    expect(() => map.apply(ground.plain('z ~ 1'), terms)).toThrow(`nothing to ${map.verb}`);
    expect(() => map.apply(ground.plain(ground.slopes), terms)).toThrow(/would mix \w+:\.site/);
    const { name } = mappedColumns(design)[0];
    expect(() => map.apply(ground.taken(name), terms)).toThrow(
      new RegExp(`^.*${name} is also the name`),
    );
  });

  it('refuses a table where it needs images', () => {
    if (ground.plain().image === undefined || anyGround === true) return;
    expect(() => map.apply(tableGround.plain(), terms)).toThrow(DataError);
    expect(() => map.apply(tableGround.plain(), terms)).toThrow(/needs images/);
  });

  it('reads what its option says it reads', () => {
    for (const example of map.option?.examples ?? []) {
      expect(map.option?.read(example)).toMatchObject({ kind: map.kind });
    }
    expect(map.option?.read('!')).toBeUndefined();
  });
});
