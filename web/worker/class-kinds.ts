import type { DiscriminantFusion, NaiveBayesFusion } from '../../src/study/study.ts';
import { type MethodKind, reading } from './method-kind.ts';

/** Linear discriminant analysis, with its shrinkage chosen from the sums. */
export const discriminantKind: MethodKind = {
  name: 'discriminant',
  label: 'classes, linear discriminant',
  about:
    'For a category before "~": normal classes with one covariance, shrunk as cross-validation of the sums chooses. Sites send the same sums as for a ridge.',
  fields: () => ['weights'],
  toFusion: () => ({ kind: 'discriminant', shrinkage: 'gcv' }),
  fromFusion: reading<DiscriminantFusion>(['discriminant'], ({ shrinkage }) =>
    shrinkage === 'gcv' ? { method: {} } : undefined,
  ),
};

/** Gaussian naive Bayes. */
export const naiveBayesKind: MethodKind = {
  name: 'naive-bayes',
  label: 'classes, naive Bayes',
  about:
    'For a category before "~": normal columns without correlations. Its probabilities are often too sure. Sites send the same sums as for a ridge.',
  fields: () => ['weights'],
  toFusion: () => ({ kind: 'naive-bayes' }),
  fromFusion: reading<NaiveBayesFusion>(['naive-bayes'], () => ({ method: {} })),
};
