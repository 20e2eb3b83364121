import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddDivide,
  ddMultiply,
  ddSqrt,
  ddSubtract,
} from '../numeric/double-double.ts';

/** A column that codes a category: a number for each level, in the order of the levels. */
export interface LevelContrast {
  /** What R writes behind the label. */
  readonly suffix: string;
  readonly values: readonly number[];
}

/** Most levels that other contrasts than treatment contrasts code: they have a number for each level and column. */
export const MOST_CONTRASTED_LEVELS = 500;

/** Most levels of contr.poly: R refuses more than 95, and digits are lost before. */
export const MOST_POLYNOMIAL_LEVELS = 30;

type Contrasts = (levels: readonly string[], base: number) => readonly LevelContrast[];

function columns(
  levels: readonly string[],
  value: (level: number, column: number) => number,
): readonly LevelContrast[] {
  return levels.slice(1).map((_, column) => ({
    suffix: String(column + 1),
    values: levels.map((_, level) => value(level, column)),
  }));
}

const sum: Contrasts = (levels) =>
  columns(levels, (level, column) => {
    if (level === levels.length - 1) return -1;
    return level === column ? 1 : 0;
  });

const helmert: Contrasts = (levels) =>
  columns(levels, (level, column) => {
    if (level === column + 1) return column + 1;
    return level <= column ? -1 : 0;
  });

function without(base: number, name: (level: string, index: number) => string): Contrasts {
  return (levels, given) => {
    const left = base < 0 ? levels.length - 1 : given - 1;
    return levels.flatMap((level, index) =>
      index === left
        ? []
        : [{ suffix: name(level, index), values: levels.map((_, one) => (one === index ? 1 : 0)) }],
    );
  };
}

const byNumber = (_: string, index: number) => String(index + 1);
const byLevel = (level: string) => level;

/** Orthonormal polynomials of the levels' numbers, each rising at the end. */
const polynomials: Contrasts = (levels) => {
  const found: (readonly DoubleDouble[])[] = [unit(levels.map(() => dd(1)))];
  const scores = levels.map((_, k) => dd(k - (levels.length - 1) / 2));
  for (let degree = 1; degree < levels.length; degree++) {
    const raised: readonly DoubleDouble[] = found[degree - 1]!.map((value, k) =>
      ddMultiply(value, scores[k]!),
    );
    // Twice, so that rounding leaves nothing along the earlier ones.
    const apart = found.reduce(removed, raised);
    found.push(unit(found.reduce(removed, apart)));
  }
  return found.slice(1).map((values, k) => ({
    suffix: ['.L', '.Q', '.C'][k] ?? `^${k + 1}`,
    values: values.map(({ hi }) => hi),
  }));
};

function removed(
  own: readonly DoubleDouble[],
  other: readonly DoubleDouble[],
): readonly DoubleDouble[] {
  const share = dot(own, other);
  return own.map((value, k) => ddSubtract(value, ddMultiply(share, other[k]!)));
}

function unit(values: readonly DoubleDouble[]): readonly DoubleDouble[] {
  const length = ddSqrt(dot(values, values));
  return values.map((value) => ddDivide(value, length));
}

function dot(a: readonly DoubleDouble[], b: readonly DoubleDouble[]): DoubleDouble {
  return a.reduce((total, value, k) => ddAdd(total, ddMultiply(value, b[k]!)), dd(0));
}

/** R's contrasts by their names; with the prefix "contr." treatment contrasts are numbered, without it they have the levels' names. */
export const contrasts: Readonly<Record<string, Contrasts>> = {
  'contr.sum': sum,
  sum,
  'contr.helmert': helmert,
  helmert,
  'contr.treatment': without(1, byNumber),
  treatment: without(1, byLevel),
  'contr.SAS': without(-1, byNumber),
  SAS: without(-1, byLevel),
  'contr.poly': polynomials,
  poly: polynomials,
};
