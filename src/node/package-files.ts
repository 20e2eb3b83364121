// Two folders deep in the package, as source (src/node), built (dist/node) and in the command's bundle (dist/command).
const here = import.meta.url;

/** The folder of the package. */
export const packageRoot: URL = new URL('../../', here);

/** Whether this runs from its sources. */
export const fromSource: boolean = here.endsWith('.ts');

/** The script of a thread, which is beside this module wherever that is. */
export function threadScript(name: string): URL {
  return new URL(`./${name}.${fromSource ? 'ts' : 'js'}`, here);
}

/** What the package says about itself. */
export const manifest: URL = new URL('package.json', packageRoot);
