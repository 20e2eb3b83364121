import { hexToBytes } from '@noble/hashes/utils.js';
import { agreement, published } from '../federate.ts';
import { findings, unpublishable } from '../findings.ts';
import { keyedWords } from '../random/keyed-words.ts';
import type { Conclude } from './desk.ts';

/** Resolves in this thread. */
export const concludeHere: Conclude = async ({ study, sites, inquiry, noise, ...sent }) => {
  const agreed = agreement(study);
  const words = noise === undefined ? undefined : keyedWords(hexToBytes(noise), 'total');
  return (
    unpublishable(agreed, sent.total) ??
    findings(agreed, published(agreed, sent, words), sites, inquiry)
  );
};
