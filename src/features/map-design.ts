import { DataError } from '../data-error.ts';
import type { ScaledColumn } from '../numeric/project-rows.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import type { Design, DesignColumn } from './design.ts';
import type { FeatureTerms, FeatureText } from './feature-text.ts';
import type { MapWriter } from './map-writer.ts';

/** target[j][r] = φⱼ of row r, its columns in their public units, for the first `rows` rows. */
export type RowMapper = (
  columns: readonly ScaledColumn[],
  rows: number,
  target: readonly Float64Array[],
) => void;

/** The columns that a map makes. */
export interface MadeColumns {
  /** Label of the one term that stands for all of them. */
  readonly term: string;
  readonly columns: readonly Omit<DesignColumn, 'term' | 'origin'>[];
  /**
   * If the columns are several maps sent at once, of which the solver keeps one: the label of each, which is then a term.
   * The columns are as many equal parts, in order.
   */
  readonly alternatives?: readonly string[];
  /** If the map is linear: its row-major matrix, a row for each input column; computed on demand. */
  weights?(): Float64Array;
  /** If the map is not linear: its arithmetic, for other programs; if absent, its models cannot be exported. */
  write?<Matrix>(writer: MapWriter<Matrix>): Matrix;
  /** Called with the first rows: most parties only read the design. */
  mapper(): RowMapper;
}

/**
 * The design with its predictors replaced by the columns of a map, which form one term. The map gets each column in its
 * public unit, (v − centre) / scale of the codebook, so that kilograms and centimetres count alike. Intercept, `.site` and
 * responses stay. A mapped value is one double: every site has the same bits. If another map has made the predictors, this one
 * is built on its columns.
 */
export function mapDesign<Terms extends FeatureTerms>(
  design: Design,
  map: FeatureText<Terms>,
  terms: Terms,
  make: (columns: readonly DesignColumn[]) => MadeColumns,
): Design {
  const from = (origin: DesignColumn['origin']) =>
    design.columns.flatMap((column, index) => (column.origin === origin ? [index] : []));
  const columns = from(design.mapped === undefined ? 'term' : 'mapped');
  const given = columns.map((index) => design.columns[index]);
  const original = design.mapped ?? { from: design, columns };
  refuseFormula(original.from, map);
  const { term, columns: bare, mapper, ...described } = make(given);
  const labels = described.alternatives ?? [term];
  const taken = [...original.from.columns, ...design.columns];
  refuseTaken(taken, map, [term, ...labels], bare);
  const part = bare.length / labels.length;
  const made = bare.map((column, j) => {
    return { ...column, term: labels[Math.floor(j / part)], origin: 'mapped' as const };
  });
  const first = design.intercept ? 1 : 0;
  const width = made.length;
  const behind = [...from('site'), ...from('response')];
  // z is the constant, the mapped columns, the columns of `.site`, the responses.
  const arranged = <T>(own: readonly T[], mapped: readonly T[]): T[] => [
    ...own.slice(0, first),
    ...mapped,
    ...behind.map((index) => own[index]),
  ];
  const places = design.columns.map((_, index) => {
    if (index < first) return index;
    return behind.includes(index) ? first + width + behind.indexOf(index) : undefined;
  });
  const siteTerm = design.terms.filter(({ label }) => label === SITE_COLUMN);
  let fill: RowMapper | undefined;
  // Reused for every block: blocks are small and many.
  let scratch: Float64Array[] = [];

  const { recipe: _, ...rest } = design;
  return {
    ...rest,
    columns: arranged(design.columns, made),
    needsLow: arranged(
      design.needsLow,
      made.map(() => false),
    ),
    terms: [
      ...labels.map((label, k) => ({
        label,
        columns: Array.from({ length: part }, (_, j) => first + k * part + j),
      })),
      ...siteTerm.map(({ label, columns: own }) => ({
        label,
        columns: own.map((index) => places[index]!),
      })),
    ],
    evaluate(block, origin, hi, lo) {
      fill ??= mapper();
      if ((scratch[columns[0]]?.length ?? 0) < block.rows) {
        scratch = design.columns.map((_, index) =>
          places[index] === undefined ? new Float64Array(block.rows) : new Float64Array(0),
        );
      }
      const own = places.map((place, index) => (place === undefined ? scratch[index] : hi[place]));
      const low = places.map((place) => (place === undefined ? undefined : lo[place]));
      design.evaluate(block, origin, own, low);
      const inUnits = columns.map((index, i) => ({ values: own[index], ...given[i].publicUnit }));
      fill(inUnits, block.rows, hi.slice(first, first + width));
      for (const rest of lo.slice(first, first + width)) rest?.fill(0, 0, block.rows);
    },
    mapped: { from: original.from, columns: original.columns, map, terms, ...described },
  };
}

/** Refuses a formula without terms, and slopes by site. */
export function refuseFormula({ columns, terms }: Design, { noun, verb }: FeatureText): void {
  const mixed = terms.find(
    ({ label }) => label !== SITE_COLUMN && label.split(':').includes(SITE_COLUMN),
  );
  if (mixed !== undefined) {
    throw new DataError(
      `a ${noun} would mix ${mixed.label}, which differs from site to site, with everything else`,
      {},
      `leave out ${mixed.label}, or the ${noun}`,
    );
  }
  if (columns.some(({ origin }) => origin === 'term')) return;
  throw new DataError(
    `the formula has nothing to ${verb}`,
    {},
    `add terms, or leave the ${noun} out`,
  );
}

/** Names must differ: from here on they identify the columns. */
function refuseTaken(
  columns: readonly DesignColumn[],
  { noun }: FeatureText,
  terms: readonly string[],
  made: readonly { readonly name: string }[],
): void {
  const names = new Set([...terms, ...made.map(({ name }) => name)]);
  const taken = columns.find((column) => names.has(column.name) || terms.includes(column.term));
  if (taken === undefined) return;
  throw new DataError(
    `${taken.name} is also the name of a column of the ${noun}`,
    { column: taken.name },
    `give the column another name, or leave the ${noun} out`,
  );
}
