import { significantText } from './significant-text.ts';

/** R's names of the intervals of cut(): as few digits as tell the breaks apart, at least `digits`. */
export function cutLabels(
  breaks: readonly number[],
  right: boolean,
  lowest: boolean,
  digits: number,
): readonly string[] {
  const texts = distinctTexts(breaks, digits);
  const last = breaks.length - 2;
  const [open, close] = right ? ['(', ']'] : ['[', ')'];
  return texts.slice(1).map((to, k) => {
    const opening = lowest && right && k === 0 ? '[' : open;
    const closing = lowest && !right && k === last ? ']' : close;
    return `${opening}${texts[k]},${to}${closing}`;
  });
}

/** R tries up to twelve digits. */
const MOST_DIGITS = 12;

function distinctTexts(breaks: readonly number[], digits: number): readonly string[] {
  for (let count = digits; ; count++) {
    const texts = breaks.map((value) => significantText(value, count));
    if (new Set(texts).size === breaks.length || count >= Math.max(MOST_DIGITS, digits))
      return texts;
  }
}
