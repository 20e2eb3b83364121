import { digestJson } from '../study/digest.ts';
import { type FileHandle, withReader } from './files.ts';
import type { Opening, SourceVersion } from './source.ts';

/** A file of a folder, and its path below the folder. */
export interface FolderFile {
  readonly file: FileHandle;
  readonly below: string;
}

/** Files that systems put into folders by themselves. */
const OF_THE_SYSTEM = /(^|\/)(\..*|__MACOSX\/.*|Thumbs\.db|desktop\.ini)$/i;

/** The files of a folder without those of the system; undefined where the address is no folder. */
export function folderFiles({
  address,
  list,
}: Pick<Opening, 'address' | 'list'>): FolderFile[] | undefined {
  return list()
    ?.map((file) => ({ file, below: pathBelow(address.path, file.path) }))
    .filter(({ below }) => !OF_THE_SYSTEM.test(below));
}

/** A path from the folder on, with the mark / between its parts. */
function pathBelow(folder: string, path: string): string {
  const bare = folder.replace(/[/\\]+$/, '');
  const below = path.startsWith(bare) ? path.slice(bare.length) : path;
  return below.replaceAll('\\', '/').replace(/^\/+/, '');
}

/** The state of some files of a folder: how many files and bytes, and a digest of their names, lengths and times. */
export async function folderVersion(
  { address, files }: Opening,
  own: readonly FolderFile[],
): Promise<SourceVersion & { readonly bytes: number }> {
  const states: (readonly [string, number, number])[] = [];
  let { path } = address;
  for (const { file, below } of own) {
    await withReader(files, file, ({ size, modified = 0, fullPath }) => {
      states.push([below, size, modified]);
      if (fullPath !== undefined) path = fullPath.slice(0, -below.length - 1);
    });
  }
  const bytes = states.reduce((sum, [, size]) => sum + size, 0);
  return { path, bytes, files: states.length, state: digestJson(states) };
}
