import { defined } from '../defined.ts';
import { agreement } from '../federate.ts';
import { keyedNoise } from '../privacy/noise-key.ts';
import type { Conclude } from './coordinator-context.ts';

/** Resolves in this thread. The solver loads with the first study that resolves, so a coordinator starts fast. */
export const concludeHere: Conclude = async ({ study, query, noise, ...collected }) => {
  const { conclude } = await import('../conclude.ts');
  const random = noise === undefined ? undefined : keyedNoise(noise);
  return conclude(agreement(study), collected, {
    sites: [],
    audience: 'everyone',
    ...defined({ query, random }),
  });
};
