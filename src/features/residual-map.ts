import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { digestJson } from '../study/digest.ts';
import type { Design, DesignColumn } from './design.ts';
import type { FeatureMap } from './feature-map.ts';
import type { FurtherContacts } from './further-contacts.ts';
import type { Interval } from './interval.ts';
import { type MadeColumns, mapDesign, refuseFormula } from './map-design.ts';
import { mappedReference } from './mapped-reference.ts';
import { isFramable } from './reference.ts';
import {
  carriedAfter,
  firstCarried,
  hiddenIntervals,
  hiddenLayer,
  layeredMapper,
} from './residual-layers.ts';
import { nextLayer } from './residual-next.ts';
import {
  type BaseFeature,
  LARGEST_DIMENSION,
  layerFactors,
  MOST_CONTACTS,
  type ResidualFeature,
  residualSchema,
} from './residual-terms.ts';

/** The label of the one term that stands for X and F. */
const RESIDUAL = 'residual';
const USUAL_SEED = 1;

/**
 * Residual layers over the columns of another map, or over the formula's: `residual1` … are X, `hidden1` … are F. `maps` are the
 * maps that they can be built on.
 */
export function residualOver(
  maps: Readonly<Record<BaseFeature['kind'], FeatureMap>>,
): FeatureMap<ResidualFeature> {
  const baseText = ({ of }: ResidualFeature) => of && { map: maps[of.kind], terms: of };
  const map: FeatureMap<ResidualFeature> = {
    kind: 'residual',
    noun: 'residual map',
    verb: 'build on',
    made: { one: 'residual column', many: 'residual columns' },
    width(terms, columns) {
      const base = baseText(terms);
      return (base?.map.width(base.terms, columns) ?? columns) + terms.dimension;
    },
    text(terms) {
      const base = baseText(terms);
      const over = base === undefined ? '' : `, over ${base.map.text(base.terms)}`;
      return `residual layers (contact ${contactOf(terms)}, ${hiddenText(terms)}${over})`;
    },
    choices(terms) {
      const { layers, seed } = terms;
      const base = baseText(terms);
      return [
        ...(base === undefined ? [] : [`${base.map.kind} of ${base.map.choices(base.terms)}`]),
        `seed ${seed}`,
        ...(layers === undefined ? [] : [`after layers ${digestJson(layers)}`]),
      ].join(', ');
    },
    note: ({ contacts = 1 }) =>
      contacts === 1
        ? 'every further contact adds a layer, and asks all sites again'
        : `${contacts} contacts are planned: each asks all sites again, and the next starts from the model of the one before`,
    apply(design, terms) {
      refuseFormula(design, map);
      const base = baseText(terms);
      const from = base === undefined ? design : base.map.apply(design, base.terms);
      return mapDesign(from, map, terms, (columns) => layered(columns, terms, design));
    },
    schema(z) {
      const [first, ...rest] = Object.values(maps).map((one) => one.schema(z));
      const of = z.discriminatedUnion('kind', [
        first,
        ...rest,
      ]) as zod.ZodType as zod.ZodType<BaseFeature>;
      return residualSchema(z, of);
    },
    over: (terms, of) => ({ ...terms, of: of as BaseFeature }),
    further,
    option: {
      form: '<dimension[,seed[,contacts]]>',
      description:
        'add this many random hidden columns to those of the formula (or of another map), and a layer from them with every further contact (seed: 1; contacts: 1)',
      rule: `a dimension from 1 to ${LARGEST_DIMENSION}, a seed below 2³², and at most ${MOST_CONTACTS} contacts`,
      examples: ['200', '200,7,3'],
      read(value) {
        const parts = /^(\d+)(?:,(\d+)(?:,(\d+))?)?$/.exec(value);
        const dimension = Number(parts?.[1]);
        const seed = Number(parts?.[2] ?? USUAL_SEED);
        const contacts = Number(parts?.[3] ?? 1);
        const fits = dimension >= 1 && dimension <= LARGEST_DIMENSION && seed < 2 ** 32;
        if (!(fits && contacts >= 1 && contacts <= MOST_CONTACTS)) return undefined;
        return {
          kind: 'residual',
          dimension,
          seed,
          ...defined({ contacts: contacts === 1 ? undefined : contacts }),
        };
      },
    },
  };
  return map;
}

function contactOf({ layers = [] }: ResidualFeature): number {
  return layers.length + 1;
}

function hiddenText({ dimension }: ResidualFeature): string {
  return dimension === 1 ? '1 hidden column' : `${dimension} hidden columns`;
}

const further: FurtherContacts<ResidualFeature> = {
  left: ({ contacts = 1, layers = [] }) => Math.max(0, contacts - 1 - layers.length),
  text: (terms) =>
    `contact ${contactOf(terms)}: exact sums over the columns so far and ${hiddenText(terms)}`,
  start({ layers, from }) {
    if (layers === undefined) return undefined;
    const text = `${layers.length === 1 ? '1 layer' : `${layers.length} layers`}, ${digestJson(layers)}`;
    return { at: layers, text, ...defined({ from }) };
  },
  scores: ({ layers = [] }) => layers.map(({ score }) => score),
  next({ from: _, layers = [], ...terms }, fitted, from) {
    if (layers.length + 1 >= MOST_CONTACTS) {
      return {
        problem: `residual layers have at most ${MOST_CONTACTS} contacts`,
        remedy: 'keep this model, or start anew with more hidden columns',
      };
    }
    const layer = nextLayer(fitted, terms.dimension);
    if ('problem' in layer) return layer;
    return { ...terms, layers: [...layers, layer], ...defined({ from }) };
  },
};

/** Most random numbers of all layers, which every party must store: 400 MB, drawn in some seconds. */
const MOST_DRAWN = 5e7;

function layered(
  given: readonly DesignColumn[],
  terms: ResidualFeature,
  { intercept }: Pick<Design, 'intercept'>,
): MadeColumns {
  const { length } = given;
  refuseVast(length, terms);
  const layers = layerFactors(terms, length);
  const states = [firstCarried(given)];
  for (const layer of layers) states.push(carriedAfter(states[states.length - 1], layer));
  const carried = states[layers.length];
  const column = (name: string, interval: Interval, scale: number) => {
    if (!isFramable(interval)) throw tooLarge(name);
    const reference = mappedReference(interval, intercept);
    return { name, reference, publicUnit: { center: 0, scale }, interval };
  };
  return {
    term: RESIDUAL,
    columns: [
      ...carried.map(({ interval, scale }, i) => column(`residual${i + 1}`, interval, scale)),
      ...hiddenIntervals(carried, hiddenLayer(length, terms, layers.length)).map((interval, j) =>
        column(`hidden${j + 1}`, interval, 1),
      ),
    ],
    mapper() {
      const hidden = states.map((_, t) => hiddenLayer(length, terms, t));
      const scales = states.map((state) => state.map(({ scale }) => scale));
      return layeredMapper(layers, hidden, scales);
    },
  };
}

function refuseVast(columns: number, terms: ResidualFeature): void {
  if (columns * terms.dimension * contactOf(terms) <= MOST_DRAWN) return;
  throw new DataError(
    `${hiddenText(terms)} over ${columns} columns in ${contactOf(terms)} contacts are more than ${MOST_DRAWN / 1e6} million random numbers`,
    {},
    'choose fewer hidden columns, or a base with fewer columns',
  );
}

function tooLarge(name: string): DataError {
  return new DataError(
    `${name} of the residual map can become too large to hold`,
    {},
    'start anew with a smaller penalty, or stop at the contact before',
  );
}
