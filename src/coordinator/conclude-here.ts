import { hexToBytes } from '@noble/hashes/utils.js';
import { conclude } from '../conclude.ts';
import { agreement } from '../federate.ts';
import { keyedWords } from '../random/keyed-words.ts';
import type { Conclude } from './desk.ts';

/** Resolves in this thread. */
export const concludeHere: Conclude = async ({ study, sites, inquiry, noise, ...sent }) => {
  return conclude(agreement(study), sent, {
    sites,
    audience: 'everyone',
    ...(inquiry === undefined ? {} : { inquiry }),
    ...(noise === undefined ? {} : { words: keyedWords(hexToBytes(noise), 'total') }),
  });
};
