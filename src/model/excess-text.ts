import { significant } from './number-text.ts';

/** An error over the explained variance in per cent; beyond twice that, by how far does not matter. */
export function excessText(share: number): string {
  return share > 2 ? 'over 200 %' : `${significant(100 * share, 2)} %`;
}

/** The same as an estimate: "about 44 %", "over 200 %". */
export function aboutExcess(share: number): string {
  return `${share > 2 ? '' : 'about '}${excessText(share)}`;
}
