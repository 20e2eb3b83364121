import { type Coverage, coverage } from '../between-sites/coverage.ts';
import { coverageText } from '../between-sites/coverage-text.ts';
import { type Heterogeneity, heterogeneity } from '../between-sites/heterogeneity.ts';
import { heterogeneityText } from '../between-sites/heterogeneity-text.ts';
import { type Influence, influence } from '../between-sites/influence.ts';
import { influenceText } from '../between-sites/influence-text.ts';
import { type Sanity, sanity, sanityText } from '../between-sites/sanity.ts';
import type { Topic } from './topic.ts';

export const heterogeneityTopic: Topic<Heterogeneity> = {
  about: 'heterogeneity',
  needs: 'information',
  sees: 'sites',
  per: 'response',
  ask: ({ total, sites, response }) => heterogeneity(total, sites, response),
  text: heterogeneityText,
};

export const influenceTopic: Topic<Influence> = {
  about: 'influence',
  needs: 'information',
  sees: 'sites',
  per: 'response',
  ask: ({ fit, response, sites }) => influence(fit, response, sites),
  text: influenceText,
};

export const coverageTopic: Topic<Coverage> = {
  about: 'coverage',
  needs: 'sums',
  sees: 'sites',
  per: 'response',
  ask: ({ total, sites, response, fit }) => coverage(total, sites, response, fit.penalty),
  text: coverageText,
};

export const sanityTopic: Topic<Sanity> = {
  about: 'sanity',
  needs: 'sums',
  sees: 'sites',
  per: 'model',
  ask: ({ total, sites }) => sanity(total, sites),
  text: sanityText,
};
