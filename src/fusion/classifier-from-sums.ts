import type { Failure } from '../failure.ts';
import type { Design } from '../features/design.ts';
import { classifierModels, createClassifierReport } from '../model/classifier-report.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { DiscriminantFusion, NaiveBayesFusion } from '../study/study.ts';
import { resolveClassifier } from './classifier.ts';
import { linearSums } from './linear-sums.ts';
import type { Method } from './method.ts';

/** A discriminant analysis or a naive Bayes from the sums of a ridge. */
export function classifierFromSums(
  fusion: DiscriminantFusion | NaiveBayesFusion,
  design: Design | undefined,
): Pick<Method, 'needsSites' | 'resolve'> {
  return {
    needsSites: fusion.kind === 'discriminant' && fusion.shrinkage === 'leave-one-site-out',
    resolve(collected) {
      const { total, sites } = linearSums(collected);
      const refused = whyNoClassifier(design, total.layout);
      if (refused !== undefined) return refused;
      const fit = resolveClassifier(total, design!.classes[0], fusion, sites);
      if ('problem' in fit) return fit;
      return {
        report: (context) => createClassifierReport(fit, context),
        models: classifierModels(fit),
      };
    },
  };
}

/** Why responses have no classifier, if so. */
export function whyNoClassifier(
  design: Design | undefined,
  { responses, intercept }: Pick<LinearLayout, 'responses' | 'intercept'>,
): Failure | undefined {
  const classes = design?.classes ?? [];
  if (design?.mapped?.alternatives !== undefined) {
    return {
      problem: 'a classifier cannot choose among several settings of a feature map',
      remedy: 'give one setting, or take the ridge fusion',
    };
  }
  if (classes.length !== 1 || classes[0].columns.length !== responses) {
    return {
      problem: 'a classifier needs one category on the left side, and nothing else there',
      remedy: 'write species ~ x, or a comparison: I(y > 0) ~ x',
    };
  }
  if (intercept) return undefined;
  return { problem: 'a classifier needs an intercept', remedy: 'leave out "- 1" or "+ 0"' };
}
