import { normalTail } from '../numeric/distributions.ts';

/**
 * Share of Σ a·b that clipping b at ±bound takes, were b normal: P(|b| > bound) (Stein's lemma), from the mean square of
 * the clipped b alone.
 */
export function clippedShare(meanSquare: number, bound: number): number {
  const told = Math.max(0, meanSquare) / bound ** 2;
  let narrow = 0.01;
  let wide = 100;
  if (told >= clippedSquare(narrow)) return 1;
  for (let step = 0; step < 60; step++) {
    const reach = (narrow + wide) / 2;
    if (clippedSquare(reach) > told) narrow = reach;
    else wide = reach;
  }
  return normalTail(wide);
}

/** E[min(b², c²)] / c² of a normal b with SD c/reach. */
function clippedSquare(reach: number): number {
  const outside = normalTail(reach);
  const density = Math.exp(-(reach ** 2) / 2) / Math.sqrt(2 * Math.PI);
  return (1 - outside - 2 * reach * density) / reach ** 2 + outside;
}
