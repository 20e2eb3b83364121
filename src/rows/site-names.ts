import { isDatabaseAddress, nameOfRows } from './database-address.ts';

/** Site names from file names, without folder and ending; with the folder, or a number, where names repeat. */
export function siteNames(paths: readonly string[]): string[] {
  const short = paths.map(siteNameOf);
  const long = paths.map((path, k) => `${partsOf(path).at(-2) ?? '.'}/${short[k]}`);
  const unique = (names: readonly string[]) => new Set(names).size === names.length;
  if (unique(short)) return short;
  return unique(long) ? long : short.map((name, k) => `${name}-${k + 1}`);
}

/** The end of the name of an IDX file, as in north-images.idx3-ubyte.gz. */
const IDX_END = /(?<=.)[-_.]?(images|labels)?[-.]idx\d?([-.]ubyte)?(\.gz)?$/i;

/** A site name from a file name. */
export function siteNameOf(path: string): string {
  if (isDatabaseAddress(path)) return nameOfRows(path);
  return partsOf(path)
    .at(-1)!
    .replace(IDX_END, '')
    .replace(/(?<=.)\.[^.]*$/, '');
}

function partsOf(path: string): string[] {
  return path.replace(/(?<=.)[/\\]+$/, '').split(/[/\\]/);
}
