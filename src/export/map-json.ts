import { defined } from '../defined.ts';
import type { MapFunction, MapWriter } from '../features/map-writer.ts';
import type { PublicUnit } from '../features/public-unit.ts';
import { noImages } from './no-images.ts';
import type { PlannedMap } from './prediction-plan.ts';

/** One matrix of a feature map, made from earlier ones, which are named by their place in the list. */
export type MapStep =
  | { readonly step: 'inputs' }
  | {
      readonly step: 'affine';
      readonly of: number;
      /** A row for each column of `of`. */
      readonly matrix: readonly (readonly number[])[];
      readonly constant?: readonly number[];
    }
  | { readonly step: MapFunction; readonly of: number }
  | { readonly step: 'scale'; readonly of: number; readonly factor: number }
  | {
      readonly step: 'standardise';
      readonly of: number;
      /** One for each column of `of`. */
      readonly units: readonly PublicUnit[];
    }
  | { readonly step: 'add' | 'multiply' | 'beside'; readonly of: readonly number[] };

/** A feature map in JSON: the last step is its part of the prediction, a column per response. */
export interface MapJson {
  /** The mapped columns: each enters as (value − center) / scale. */
  readonly inputs: readonly {
    readonly column: string;
    readonly center: number;
    readonly scale: number;
  }[];
  readonly steps: readonly MapStep[];
}

/** The steps of a feature map. Throws DataError for a map of images. */
export function mapJson({ inputs, link, made }: PlannedMap): MapJson {
  interface Value {
    readonly at: number;
    readonly width: number;
  }
  const steps: MapStep[] = [];
  const added = (step: MapStep, width: number): Value => ({ at: steps.push(step) - 1, width });
  const writer: MapWriter<Value> = {
    inputs: added({ step: 'inputs' }, inputs.length),
    affine(of, values, given) {
      const width = values.length / of.width;
      const matrix = Array.from({ length: of.width }, (_, r) =>
        Array.from(values.subarray(r * width, (r + 1) * width)),
      );
      const constant = given === undefined ? undefined : Array.from(given);
      return added({ step: 'affine', of: of.at, matrix, ...defined({ constant }) }, width);
    },
    call: (name, of) => added({ step: name, of: of.at }, of.width),
    scale: (of, factor) => added({ step: 'scale', of: of.at, factor }, of.width),
    standardise: (of, given) => {
      const units = given.map(({ center, scale }) => ({ center, scale }));
      return added({ step: 'standardise', of: of.at, units }, of.width);
    },
    add: (left, right) => added({ step: 'add', of: [left.at, right.at] }, left.width),
    multiply: (left, right) => added({ step: 'multiply', of: [left.at, right.at] }, left.width),
    beside: (parts) =>
      added(
        { step: 'beside', of: parts.map(({ at }) => at) },
        parts.reduce((sum, { width }) => sum + width, 0),
      ),
    images: () => noImages({ made }, 'JSON'),
  };
  link(writer);
  return {
    inputs: inputs.map(({ name, unit: { center, scale } }) => ({ column: name, center, scale })),
    steps,
  };
}
