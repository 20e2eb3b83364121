import type { KeptTraining } from './training-progress.ts';
import { weightsIn, weightText } from './weight-text.ts';

const SCHEMA = 'suffice/training@1';

/** An interrupted training as JSON. */
export function keptTrainingText({ of, state }: KeptTraining): string {
  const { weights, memory, ...counts } = state;
  return JSON.stringify({
    schema: SCHEMA,
    of,
    ...counts,
    weights: weightText(weights),
    memory: memory.map(weightText),
  });
}

/** What `keptTrainingText` wrote; undefined for another text: a training then starts anew. */
export function keptTraining(text: string): KeptTraining | undefined {
  try {
    const { schema, of, weights, memory, ...counts } = JSON.parse(text);
    if (schema !== SCHEMA || typeof of !== 'string') return undefined;
    return {
      of,
      state: { ...counts, weights: weightsIn(weights), memory: memory.map(weightsIn) },
    };
  } catch {
    return undefined;
  }
}
