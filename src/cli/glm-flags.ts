import type { GlmFusion, RidgeRule } from '../study/study.ts';
import { UsageError } from '../usage-error.ts';

/** Kinds of standard errors that sums allow, as `--se` names them. */
export const knownErrors = ['classical', 'clustered', 'HC0', 'HC1'] as const;
export type KnownErrors = (typeof knownErrors)[number];

/** The kind of standard errors; those that weigh each row by its leverage are refused by name. */
export function errorsOfFlag(text: string): KnownErrors {
  const known = knownErrors.find((kind) => kind.toLowerCase() === text.toLowerCase());
  if (known !== undefined) return known;
  if (/^hc[2-5]m?$/i.test(text)) {
    throw new UsageError(
      `--se ${text} needs the leverage of every row in the final model, which no sum over rows has: the sites would be contacted again`,
      'take --se HC1 (with --family), or --se clustered',
    );
  }
  throw new UsageError(
    `--se must be classical, clustered, HC0 or HC1: ${text === '' ? '""' : text}`,
    'try --se clustered',
  );
}

/** The errors of a linear model; those row by row are refused. */
export function linearErrors(se: KnownErrors | undefined): 'classical' | 'clustered' | undefined {
  if (se !== 'HC0' && se !== 'HC1') return se;
  throw new UsageError(
    `--se ${se} needs the squared residual of every row, and the sums of a linear model do not have them`,
    'take --se clustered, which holds for any variance of the rows within a site',
  );
}

/** A logistic or Poisson regression, which takes a ridge of a number, and its own kinds of errors. */
export function glmFusionOf(
  family: GlmFusion['family'],
  { ridge, se, prior }: GlmChoices,
): GlmFusion {
  if (typeof ridge !== 'number') {
    throw new UsageError(
      `with --family the ridge is a number: to choose it (${ridge}), every penalty would need rounds of its own`,
      'give a number, such as --ridge 1, and compare several on rows that were held out (suffice evaluate)',
    );
  }
  if (ridge > 0 && se !== undefined && se !== 'classical') {
    throw new UsageError(
      `--ridge and --se ${se} do not go together: the errors would ignore the bias of the penalty`,
      'leave out one',
    );
  }
  return {
    kind: 'glm',
    family,
    remainder: 'expected',
    ...(prior === 'firth' ? {} : { prior }),
    ...(ridge === 0 ? {} : { ridge }),
    ...(se === undefined || se === 'classical' ? {} : { errors: se }),
  };
}

/** What flags say of a logistic or Poisson regression. */
export interface GlmChoices {
  readonly ridge: number | RidgeRule;
  readonly se: KnownErrors | undefined;
  readonly prior: 'firth' | number;
}

/** Refuses slopes of standardized columns, whose SDs the sums of such a regression do not have. */
export function refuseStandardized(standardize: boolean | undefined): void {
  if (standardize !== true) return;
  throw new UsageError(
    'with --family, --standardize is not offered: the sums have no SD of a column, only one weighted by the model',
    'scale the column in the formula, such as I(age / 10), and give --ridge for its slope',
  );
}
