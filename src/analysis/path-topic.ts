import { type Path, pathAnswer } from './path.ts';
import { pathText } from './path-text.ts';
import type { Topic } from './topic.ts';

export const pathTopic: Topic<Path> = {
  about: 'path',
  needs: 'sums',
  sees: 'total',
  per: 'response',
  ask: pathAnswer,
  text: pathText,
};
