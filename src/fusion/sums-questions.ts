import { classifierFromSums } from './classifier-from-sums.ts';
import type { Questions } from './method.ts';
import { ridgeFromSums } from './ridge-from-sums.ts';

/** Questions to sums of products: another regression or another classifier, without a second contact with the sites. */
export const sumsQuestions: Questions = {
  basis: 'sums',
  otherMethod: (fusion, design) =>
    fusion.kind === 'ridge' ? ridgeFromSums(fusion, design) : classifierFromSums(fusion, design),
};
