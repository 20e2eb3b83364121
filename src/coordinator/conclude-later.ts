import type { Conclude } from './desk.ts';

/** Resolves in this thread; what that takes is loaded with the first study that resolves. */
export const concludeLater: Conclude = async (work) => {
  const { concludeHere } = await import('./conclude-here.ts');
  return concludeHere(work);
};
