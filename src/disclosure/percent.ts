/** A share in words: 0.33 is 33 %. */
export function percent(share: number): string {
  return `${Number((100 * share).toFixed(2))} %`;
}
