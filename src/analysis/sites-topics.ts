import { type Coverage, coverage } from '../across/coverage.ts';
import { coverageText } from '../across/coverage-text.ts';
import { type Heterogeneity, heterogeneity } from '../across/heterogeneity.ts';
import { heterogeneityText } from '../across/heterogeneity-text.ts';
import { type Influence, influence } from '../across/influence.ts';
import { influenceText } from '../across/influence-text.ts';
import { type Sanity, sanity, sanityText } from '../across/sanity.ts';
import type { Topic } from './topic.ts';

export const heterogeneityTopic: Topic<Heterogeneity> = {
  about: 'heterogeneity',
  needs: 'information',
  sees: 'sites',
  per: 'response',
  ask: ({ total, parts, response }) => heterogeneity(total, parts, response),
  text: heterogeneityText,
};

export const influenceTopic: Topic<Influence> = {
  about: 'influence',
  needs: 'information',
  sees: 'sites',
  per: 'response',
  ask: ({ fit, response, parts }) => influence(fit, response, parts),
  text: influenceText,
};

export const coverageTopic: Topic<Coverage> = {
  about: 'coverage',
  needs: 'sums',
  sees: 'sites',
  per: 'response',
  ask: ({ total, parts, response, fit }) => coverage(total, parts, response, fit.penalty),
  text: coverageText,
};

export const sanityTopic: Topic<Sanity> = {
  about: 'sanity',
  needs: 'sums',
  sees: 'sites',
  per: 'model',
  ask: ({ total, parts }) => sanity(total, parts),
  text: sanityText,
};
