import { type Discriminant, discriminant } from './discriminant.ts';
import { discriminantText } from './discriminant-text.ts';
import type { Topic } from './topic.ts';

export const discriminantTopic: Topic<Discriminant> = {
  about: 'discriminant',
  needs: 'sums',
  sees: 'total',
  per: 'model',
  rare: true, // most models have no classes
  ask: (evidence) => discriminant(evidence),
  text: discriminantText,
};
