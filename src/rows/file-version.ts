import type { Opening, SourceVersion } from './source.ts';

/** The state of a file: where it is, how long it is, and when it was last written. */
export async function fileVersion({ address, file }: Opening): Promise<SourceVersion> {
  const { fullPath = address.path, size, modified = 0 } = await file();
  return { path: fullPath, bytes: size, modified };
}
