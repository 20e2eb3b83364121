import { DataError } from '../data-error.ts';
import type { Design, ResponseClasses } from '../features/design.ts';
import { plainUnit } from '../features/public-unit.ts';
import { crossProductLayout } from '../statistic/cross-product.ts';
import {
  type LinearLayout,
  PRIVATE_GRID,
  type PrivateLayout,
  predictorsOf,
} from '../statistic/linear-layout.ts';
import type { PrivacyTerms } from '../study/study.ts';
import { mechanismOf } from './mechanism.ts';
import { placementOf } from './placement.ts';

/** Units and coefficients of more than this many deviations would overflow floating point. */
const FARTHEST = 2 ** 400;

/** The layout of a private study: z as without privacy, in public units on a grid of 2¹⁶ steps. */
export function privateLayout(design: Design, terms: PrivacyTerms): LinearLayout {
  refuseResponses(design);
  refuseUnits(design);
  const plain = crossProductLayout(design, { arithmetic: 'exact', grid: 44, largestWeight: null });
  const units = design.columns.map(({ publicUnit }) => publicUnit);
  const layout: LinearLayout = {
    ...plain,
    references: design.intercept ? units : [plainUnit, ...units],
    grid: PRIVATE_GRID,
  };
  const { bound } = mechanismOf(terms, privateColumns(layout));
  const noise = placementOf(terms).inLayout;
  const at = terms.refinement?.at;
  if (at !== undefined) refuseStart(layout, at);
  const privacy: PrivateLayout =
    at === undefined
      ? { kind: 'products', bound, noise }
      : { kind: 'gradient', at: [...at], bound, noise };
  return { ...layout, privacy };
}

/** Columns over which a row is scaled: the predictors, and the constant if there is an intercept. */
export function privateColumns(layout: LinearLayout): number {
  return predictorsOf(layout) - (layout.intercept ? 0 : 1);
}

function refuseResponses({ responses, classes }: Design): void {
  if (responses === 1) return;
  const category = classes.find(({ columns }) => columns.length > 1);
  throw new DataError(
    category === undefined
      ? `a private study has one response; this one has ${responses}`
      : `a private study has one response; ${category.label} is one for each of its ${category.levels.length} levels`,
    {},
    category === undefined
      ? 'make a study for each response'
      : `ask for one of its levels: ${levelTest(category)} ~ …`,
  );
}

/** A comparison with the last level: with its text for a category, with its number for factor(). */
function levelTest({ label, levels }: ResponseClasses): string {
  const number = /^factor\((.*)\)$/.exec(label)?.[1];
  const level = levels.at(-1);
  return number === undefined ? `I(${label} == "${level}")` : `I(${number} == ${level})`;
}

function refuseUnits({ columns }: Design): void {
  const odd = columns.find(({ reference, publicUnit }) => {
    return !(reference.scale / publicUnit.scale < FARTHEST);
  });
  if (odd === undefined) return;
  throw new DataError(
    `the standard deviation of ${odd.name} in the codebook is far too small for its range`,
    { column: odd.name },
    'correct "sd" in the codebook, or leave it out',
  );
}

function refuseStart(layout: LinearLayout, at: readonly number[]): void {
  const wanted = predictorsOf(layout);
  if (at.length === wanted && at.every((value) => Math.abs(value) < FARTHEST)) return;
  throw new DataError(
    `a refinement starts from ${wanted} usable coefficients, the constant first`,
    {},
    'take them from the round before',
  );
}
