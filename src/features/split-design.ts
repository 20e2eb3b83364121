import { DataError } from '../data-error.ts';
import { expressionColumns } from '../study/formula-expression.ts';
import type { BoundVariable } from './bound-variable.ts';
import type { Design, DesignRecipe } from './design.ts';
import { createEvaluation } from './evaluation.ts';
import type { TermColumn } from './terms.ts';

/** Which party has which columns of the table. */
export type TableParts = Readonly<Record<string, readonly string[]>>;

/** The party that computes each column of a design; undefined for the constant. Refuses a column that needs the cells of two parties. */
export function columnOwners(design: Design, parts: TableParts): readonly (string | undefined)[] {
  const { columns, variables } = recipeOf(design);
  const partyOf = new Map(
    Object.entries(parts).flatMap(([party, names]) => names.map((name) => [name, party] as const)),
  );
  return columns.map((column) => {
    const names = new Set(
      variablesOf(column).flatMap((v) => expressionColumns(variables[v]!.expression)),
    );
    const parties = new Set<string>();
    for (const name of names) {
      const party = partyOf.get(name);
      if (party === undefined) throw ownerless(name, parts);
      parties.add(party);
    }
    if (parties.size > 1) throw acrossParties(column.term, [...names], [...parties]);
    return [...parties][0];
  });
}

function ownerless(column: string, parts: TableParts): DataError {
  return new DataError(
    'no party of the partition has this column',
    { column },
    `add it to the columns of the party that has it: ${Object.keys(parts).join(', ')}`,
  );
}

function acrossParties(
  term: string,
  columns: readonly string[],
  parties: readonly string[],
): DataError {
  return new DataError(
    `the term ${term} needs columns of several parties (${columns.join(', ')} at ${parties.join(', ')}), and no party has them together`,
    { column: term },
    'leave the term out, or let one party hold all of its columns',
  );
}

/** Whether all values of a column are 0 or 1, by the codebook alone. */
export function isZeroOne(design: Design, column: number): boolean {
  const { numbers, indicators } = recipeOf(design).columns[column]!;
  return numbers.length === 0 && indicators.length > 0;
}

/** The design of the columns that one party computes. Its rows have only the variables of these columns. */
export function partyDesign(design: Design, parts: TableParts, party: string): Design {
  const owners = columnOwners(design, parts);
  const { columns, variables } = recipeOf(design);
  const own = owners.flatMap((owner, index) =>
    owner === party || (owner === undefined && columns[index]!.name === '(Intercept)')
      ? [index]
      : [],
  );
  const used = new Set(own.flatMap((index) => variablesOf(columns[index]!)));
  const names = new Set([...used].flatMap((v) => expressionColumns(variables[v]!.expression)));
  const wanted = design.variables.filter((name) => names.has(name));
  const place = new Map(own.map((index, k) => [index, k]));
  const over = <T>(values: readonly T[]): T[] => own.map((index) => values[index]!);
  const firstResponse = design.columns.length - design.responses;
  const evaluate = createEvaluation(
    over(columns),
    variables.map(({ bound }, v) => (used.has(v) ? bound : unread)),
    0,
  );
  const { recipe: _, mapped: __, ...rest } = design;
  return {
    ...rest,
    codebook: Object.fromEntries(
      Object.entries(design.codebook).filter(([name]) => names.has(name)),
    ),
    variables: wanted,
    columns: over(design.columns),
    needsLow: over(design.needsLow),
    responses: own.filter((index) => index >= firstResponse).length,
    classes: [],
    terms: design.terms.flatMap(({ label, columns: indices }) => {
      const kept = indices.flatMap((index) => place.get(index) ?? []);
      return kept.length === 0 ? [] : [{ label, columns: kept }];
    }),
    evaluate(block, origin, hi, lo) {
      const spread = design.variables.map((name) => {
        const at = wanted.indexOf(name);
        return at < 0 ? NOTHING : block.columns[at]!;
      });
      evaluate({ ...block, columns: spread }, origin, hi, lo);
    },
  };
}

const NOTHING = new Float64Array(0);

/** Stands for a variable of another party: nothing is computed of it. */
const unread = { kind: 'number', column: 0 } as BoundVariable;

function variablesOf({ numbers, indicators }: TermColumn): number[] {
  return [...numbers, ...indicators].map(({ variable }) => variable);
}

function recipeOf({ recipe }: Design): DesignRecipe {
  if (recipe !== undefined) return recipe;
  throw new DataError(
    'a feature map mixes the columns of all parties',
    {},
    'leave out the features: with a partition the formula’s own columns are summed',
  );
}
