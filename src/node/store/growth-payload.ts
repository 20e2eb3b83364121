import { everyStudy, type Growth } from '../../coordinator/store.ts';

/**
 * The growth in a notification. Every role of a database may notify on every channel, so a payload
 * that is not ours stands for all studies: something may have changed.
 */
export function growthIn(payload: string | undefined): Growth {
  try {
    const { study, position } = JSON.parse(payload ?? '');
    if (typeof study === 'string' && Number.isSafeInteger(position)) return { study, position };
  } catch {
    // not JSON, or no object
  }
  return { study: everyStudy, position: 0 };
}
