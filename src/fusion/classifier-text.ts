import { ruleText } from '../study/rule-text.ts';
import type { DiscriminantFusion, NaiveBayesFusion } from '../study/study.ts';

/** How a classifier learns, in plain words. */
export function classifierText(fusion: DiscriminantFusion | NaiveBayesFusion): string {
  if (fusion.kind === 'naive-bayes') return 'Gaussian naive Bayes, one variance a column';
  const { shrinkage = 0 } = fusion;
  const name = 'linear discriminant analysis';
  if (shrinkage === 0) return name;
  return typeof shrinkage === 'number'
    ? `${name}, covariance shrunk by ${shrinkage}`
    : `${name}, covariance shrunk as chosen by ${ruleText(shrinkage)}`;
}
