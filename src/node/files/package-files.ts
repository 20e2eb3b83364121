import { existsSync } from 'node:fs';

/** Whether the program runs from its TypeScript sources. */
export const fromSource: boolean = import.meta.url.endsWith('.ts');

/** The folder of the package: the nearest parent folder with a `package.json`. */
export const packageRoot: URL = packageAbove(new URL('.', import.meta.url));

/** The package.json of the package. */
export const manifest: URL = new URL('package.json', packageRoot);

/** The script of a thread, in the folder of the module that starts it: `besideOf` is the URL of that module. */
export function threadScript(name: string, besideOf: string): URL {
  return new URL(`./${name}.${fromSource ? 'ts' : 'js'}`, besideOf);
}

function packageAbove(folder: URL): URL {
  const parent = new URL('..', folder);
  if (parent.href === folder.href || existsSync(new URL('package.json', folder))) return folder;
  return packageAbove(parent);
}
