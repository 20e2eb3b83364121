import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import type { Design } from '../features/design.ts';
import { studyDesign } from '../features/study-design.ts';
import { errorsOf } from '../model/errors.ts';
import type { Fit } from '../model/fit.ts';
import { createReport } from '../model/report.ts';
import { crossProductLayout, summarizer } from '../statistic/cross-product.ts';
import type { Codebook } from '../study/codebook.ts';
import type { RidgeFusion } from '../study/study.ts';
import { refuseUnchosen, resolveAlternatives } from './choose-alternative.ts';
import { type FusionEntry, tableColumns, tableFusion } from './fusion-entry.ts';
import { layerRounds } from './layer-rounds.ts';
import { linearSums } from './linear-sums.ts';
import type { LinearTerms, Method, Questions, Resolved } from './method.ts';
import { privateMethod } from './private-method.ts';
import { resolveRidge } from './ridge.ts';
import { ridgeSchema } from './ridge-schema.ts';
import { ridgeText } from './ridge-text.ts';
import { meansText, sentSumsText, whoSeesSums } from './sums-text.ts';

/** A linear regression from sums. */
function ridgeOf(
  fusion: RidgeFusion,
  design: Design | undefined,
): Pick<Method, 'needsSites' | 'resolve'> {
  return {
    needsSites: needsSites(fusion),
    resolve(collected) {
      const fit = resolveAlternatives(design, linearSums(collected), ({ total, sites }) =>
        resolveRidge(total, fusion, sites),
      );
      return 'problem' in fit ? fit : resolvedFit(fit);
    },
  };
}

const questions: Questions = { basis: 'sums', otherMethod: ridgeOf };

/** Least squares, ridge and lasso from exact sums of products. */
export const ridgeEntry: FusionEntry<RidgeFusion> = tableFusion({
  method(study, fusion): Method {
    const { arithmetic, grid = 44, weights, codebook } = study;
    const design = studyDesign(study, 'indicators');
    refuseUnchosen(design, fusion);
    const largest = weights === undefined ? null : largestWeight(codebook, weights);
    const layout = crossProductLayout(design, { arithmetic, grid, largestWeight: largest });
    const text = ridgeText(fusion);
    const seen =
      fusion.siteEffects === undefined
        ? ' and its number of rows'
        : ', its number of rows and its intercept';
    return {
      layout,
      rowsLayout: layout,
      columns: tableColumns(study, design, weights),
      regression: { study, design, layout },
      // Compact sums are rounded once at each site.
      additive: arithmetic === 'exact' ? 'rows' : 'sites',
      wholeFile: false,
      ...ridgeOf(fusion, design),
      questions,
      text: {
        method: text,
        learnt: text,
        whoSees: whoSeesSums(seen, study),
        leaves: sentSumsText,
        says: meansText,
      },
      linear: linearTerms(fusion),
      ...layerRounds(study, design),
      sections: ['trace', 'selection', 'agreement', 'columns'],
      summarize: (options) => summarizer(design, layout, { ...options, ...defined({ weights }) }),
      release: (sums) => sums,
    };
  },
  schema: ridgeSchema,
  questions,
  underNoise: privateMethod,
});

function linearTerms(fusion: RidgeFusion): LinearTerms {
  const { standardize, siteEffects } = fusion;
  return {
    scale: standardize === true ? 'standardized' : 'raw',
    siteEffects: siteEffects !== undefined,
    fromTotal({ lasso, ridge }) {
      if (!needsSites(fusion)) return undefined;
      if (lasso !== undefined) return { kind: 'ridge', ridge: 0, lasso };
      const penalty = { kind: 'ridge', ridge: ridge?.value ?? 0 } as const;
      return standardize === undefined ? penalty : { ...penalty, standardize };
    },
  };
}

/** Whether a linear regression cannot be resolved from the total alone. */
function needsSites({ ridge, lasso, errors, siteEffects }: RidgeFusion): boolean {
  return (
    ridge === 'leave-one-site-out' ||
    ridge === 'k-fold' ||
    lasso?.lambda === 'leave-one-site-out' ||
    errors === 'clustered' ||
    siteEffects !== undefined
  );
}

/** A fit of normal equations, with its report and coefficients. */
export function resolvedFit(fit: Fit): Resolved {
  return {
    fit,
    report: (context) => createReport(fit, context),
    models: fit.models.map(({ terms, estimates }, r) => ({
      terms,
      estimates,
      covariance: () => errorsOf(fit, r)?.covariance,
    })),
  };
}

function largestWeight(codebook: Codebook, name: string): number {
  const column = codebook[name];
  if (column?.type !== 'number' || column.range === undefined) {
    throw new DataError(
      'weights must be a number column with a range',
      { column: name },
      'give it a range in the codebook, such as [0, 10]',
    );
  }
  const [smallest, largest] = column.range;
  if (!(smallest >= 0 && largest > 0)) {
    throw new DataError(
      'weights must not be negative and not all zero',
      { column: name },
      'correct the weights, or the range the codebook gives them',
    );
  }
  return largest;
}
