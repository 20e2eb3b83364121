import { existsSync, readFileSync } from 'node:fs';

/** Whether the program runs from its TypeScript sources. */
export const fromSource: boolean = import.meta.url.endsWith('.ts');

/** The folder of the package: the nearest parent folder whose `package.json` names one. */
export const packageRoot: URL = packageAbove(new URL('.', import.meta.url));

/** The package.json of the package. */
export const manifest: URL = new URL('package.json', packageRoot);

/** The script of a thread, in the folder of the module that starts it: `besideOf` is the URL of that module. */
export function threadScript(name: string, besideOf: string): URL {
  return new URL(`./${name}.${fromSource ? 'ts' : 'js'}`, besideOf);
}

function packageAbove(folder: URL): URL {
  const parent = new URL('..', folder);
  const file = new URL('package.json', folder);
  const isNamed = existsSync(file) && readFileSync(file, 'utf8').includes('"name"');
  if (parent.href === folder.href || isNamed) return folder;
  return packageAbove(parent);
}
