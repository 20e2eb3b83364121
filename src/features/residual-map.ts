import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { digestJson } from '../study/digest.ts';
import type { Design, DesignColumn } from './design.ts';
import type { FeatureMap } from './feature-map.ts';
import type { FurtherContacts } from './further-contacts.ts';
import { type MadeColumns, mapDesign, refuseFormula } from './map-design.ts';
import { LARGEST_DIMENSION, refuseVast } from './map-limits.ts';
import { mappedReference } from './mapped-reference.ts';
import { readChoices } from './option-choices.ts';
import { isFramable } from './reference.ts';
import {
  type CarriedColumn,
  carriedAfter,
  firstCarried,
  hiddenIntervals,
  hiddenUnits,
  layeredMapper,
} from './residual-layers.ts';
import { nextLayer } from './residual-next.ts';
import {
  type BaseFeature,
  layerFactors,
  MOST_CONTACTS,
  type ResidualFeature,
  residualSchema,
} from './residual-terms.ts';
import { residualWriter } from './residual-write.ts';

/** The label of the one term that stands for X and F. */
const RESIDUAL = 'residual';

/**
 * Residual layers over the columns of another map, or over the formula's: `residual1` … are the columns of X, then those of F.
 * `maps` are the maps that they can be built on.
 */
export function residualOver(
  maps: Readonly<Record<BaseFeature['kind'], FeatureMap>>,
): FeatureMap<ResidualFeature> {
  const baseOf = ({ of }: ResidualFeature) => of && { map: maps[of.kind], terms: of };
  const map: FeatureMap<ResidualFeature> = {
    kind: 'residual',
    opaque: true,
    noun: 'residual map',
    verb: 'build on',
    made: { one: 'residual column', many: 'residual columns' },
    width(terms, columns) {
      const base = baseOf(terms);
      return (base?.map.width(base.terms, columns) ?? columns) + terms.dimension;
    },
    text(terms) {
      const base = baseOf(terms);
      const over = base === undefined ? '' : `, over ${base.map.text(base.terms)}`;
      return `residual layers (contact ${contactOf(terms)}, ${hiddenText(terms)}${over})`;
    },
    choices(terms) {
      const { layers, seed } = terms;
      const base = baseOf(terms);
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
      const base = baseOf(terms);
      const from = base === undefined ? design : base.map.apply(design, base.terms);
      refuseSettings(from);
      return mapDesign(from, map, terms, (columns) => layered(columns, terms, from));
    },
    schema(z) {
      const [first, ...rest] = Object.values(maps).map((one) => one.schema(z));
      const of = z.discriminatedUnion('kind', [
        first,
        ...rest,
      ]) as zod.ZodType as zod.ZodType<BaseFeature>;
      return residualSchema(z, of);
    },
    pinned(terms) {
      const base = baseOf(terms);
      return base?.map.pinned?.(base.terms);
    },
    coding(terms) {
      const base = baseOf(terms);
      return base?.map.coding?.(base.terms);
    },
    over: (terms, of) => ({ ...terms, of: of as BaseFeature }),
    further,
    option: {
      form: '<dimension[,name=value…]>',
      description:
        'add this many random hidden columns to those of the formula (or of another map), and a layer from them with every further contact (contacts=1, seed=1)',
      rule: `a dimension from 1 to ${LARGEST_DIMENSION}, then contacts=T up to ${MOST_CONTACTS} and seed=S`,
      examples: ['200', '200,contacts=3,seed=7'],
      read(value) {
        const read = readChoices(value, ['contacts']);
        if (read === undefined) return undefined;
        const { size: dimension, seed, choices } = read;
        const asked = choices.get('contacts') ?? '1';
        const contacts = /^\d+$/.test(asked) ? Number(asked) : 0;
        const fits = dimension >= 1 && dimension <= LARGEST_DIMENSION;
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

function layered(
  given: readonly DesignColumn[],
  terms: ResidualFeature,
  base: Design,
): MadeColumns {
  const { length } = given;
  refuseVast('residual map', length, terms.dimension * contactOf(terms));
  const layers = layerFactors(terms, length);
  const states = [firstCarried(given)];
  for (const layer of layers) states.push(carriedAfter(states[states.length - 1], layer));
  const carried = states[layers.length];
  const hidden = () => states.map((_, t) => hiddenUnits(length, terms, t));
  const newest = hiddenIntervals(carried, hiddenUnits(length, terms, layers.length));
  const columns: readonly CarriedColumn[] = [
    ...carried,
    ...newest.map((interval) => ({ interval, publicUnit: { center: 0, scale: 1 } })),
  ];
  return {
    term: RESIDUAL,
    columns: columns.map(({ interval, publicUnit }, j) => {
      const name = `${RESIDUAL}${j + 1}`;
      if (!isFramable(interval)) throw tooLarge(name);
      return { name, reference: mappedReference(interval, base.intercept), publicUnit, interval };
    }),
    mapper: () => layeredMapper(layers, states, hidden()),
    ...residualWriter(
      { mapped: base.mapped, units: given.map(({ publicUnit }) => publicUnit) },
      layers,
      states,
      hidden,
    ),
  };
}

/** Refuses a map that sends several settings, of which the solver keeps one. */
function refuseSettings({ mapped }: Design): void {
  if (mapped?.alternatives === undefined) return;
  throw new DataError(
    'a residual map cannot choose among several settings of the map it is built on',
    {},
    'give one setting',
  );
}

function tooLarge(name: string): DataError {
  return new DataError(
    `${name} can become too large to hold`,
    {},
    'start anew with a smaller penalty, or stop at the contact before',
  );
}
