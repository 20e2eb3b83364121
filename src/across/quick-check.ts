/**
 * Whether looking for mistakes in so many sites takes no more than a second or two: the sites' own fits cost a little each,
 * and the cube of the columns.
 */
export function isQuicklyChecked(sites: number, columns: number): boolean {
  return sites * (150_000 + columns ** 3) <= 2.5e8;
}
