import type { Fit } from '../model/fit.ts';

/** Change of the linear predictor over half a column's range that separated rows cause at least, in one round. */
const LARGE = 1.25;
/** The same of a Newton step: along separated rows it is about 1. */
const GROWING = 0.25;
/** Standard errors from 0 that a separated coefficient gets to in a few steps only; then each step is this share of it. */
const FAR = { errors: 3, share: 0.08 };

/**
 * Terms that no site bounds and whose coefficients are large: the rows of all sites may be separated along them, because
 * rows that are separated together are separated at every site.
 */
export function unboundedTerms(
  fit: Fit,
  bounding: readonly number[] | undefined,
  mapped: ReadonlySet<string>,
): string[] | undefined {
  if (bounding === undefined) return undefined;
  return termsWhere(fit, mapped, ({ column, size }) => bounding[column] === 0 && size > LARGE);
}

/** Terms whose coefficients are uncertain and still grow by as much as they do along separated rows. */
export function growingTerms(
  fit: Fit,
  at: Readonly<Record<string, number>>,
  mapped: ReadonlySet<string>,
): string[] {
  return termsWhere(fit, mapped, ({ term, scale, size, error }) => {
    const start = Math.abs(at[term] ?? 0) * scale;
    const growth = size - start;
    const least = size < FAR.errors * error ? GROWING : Math.max(GROWING, FAR.share * size);
    return growth > least && error > 1 && size > LARGE;
  });
}

interface Sized {
  readonly term: string;
  /** Its place in the design, the constant first. */
  readonly column: number;
  /** Half of the column's range; 1 for the intercept. */
  readonly scale: number;
  /** Coefficient and standard error, times the scale. */
  readonly size: number;
  readonly error: number;
}

/** Mapped columns are not checked: their possible range is much larger than their actual one. */
function termsWhere(
  { models: [model], total: { layout } }: Fit,
  mapped: ReadonlySet<string>,
  isSeparated: (term: Sized) => boolean,
): string[] {
  return model.terms.filter((term, k) => {
    if (mapped.has(term)) return false;
    const constant = layout.intercept && k === 0;
    const column = constant ? 0 : layout.columns.indexOf(term, 1);
    const scale = constant ? 1 : layout.references[column].scale;
    const size = Math.abs(model.estimates[k]) * scale;
    const error = Math.sqrt(model.unscaledVariances[k]) * scale;
    return isSeparated({ term, column, scale, size, error });
  });
}
