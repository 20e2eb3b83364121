import type { FileHandle } from '../../src/rows/files.ts';
import type { Address } from '../../src/rows/source.ts';

/** What a person chose: a file, or a folder or several files. It is sent to the worker, and stays in this tab. */
export type Chosen = File | ChosenFolder;

/** The files below a folder, or several files. */
export interface ChosenFolder {
  readonly name: string;
  /** Bytes of all files. */
  readonly size: number;
  readonly files: readonly FileHandle[];
}

/** A file and its path in the folder that was chosen. */
interface PlacedFile {
  readonly path: string;
  readonly file: File;
}

/** The files of a folder in the order of their paths, as the command line lists them. */
export function chosenFolder(placed: readonly PlacedFile[]): ChosenFolder {
  const sorted = placed.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const tops = new Set(sorted.map(({ path }) => path.slice(0, path.indexOf('/') + 1)));
  const [top] = tops;
  return {
    name: tops.size === 1 && top !== '' ? top.slice(0, -1) : `${sorted.length} files`,
    size: sorted.reduce((sum, { file }) => sum + file.size, 0),
    files: sorted.map(({ path, file }) => ({ path, blob: file })),
  };
}

/** The address of what was chosen, for a reader. */
export function rowsIn(chosen: Chosen): Address {
  const { name: path } = chosen;
  return chosen instanceof File ? { path, blob: chosen } : { path, files: chosen.files };
}

/** The files that were chosen in a dialog for folders. */
export function filesOfDialog(files: FileList): PlacedFile[] {
  return Array.from(files, (file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** All files below what was dropped. */
export async function droppedFiles(items: DataTransferItemList): Promise<PlacedFile[]> {
  // The list is emptied after the event, so the entries are taken at once.
  const entries = Array.from(items, (item) => item.webkitGetAsEntry());
  const found = await Promise.all(
    entries.map((entry) => (entry === null ? [] : filesBelow(entry))),
  );
  return found.flat();
}

async function filesBelow(entry: FileSystemEntry): Promise<PlacedFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ''), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: PlacedFile[] = [];
  for (;;) {
    // A reader gives about a hundred entries at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return found;
    for (const one of some) found.push(...(await filesBelow(one)));
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
