import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
);
const packages = Object.entries(lock.packages).filter(([path, { link }]) => path !== '' && !link);

/** Prebuilt tools of development for other systems; the registry at hand does not have them. */
const TOOLS = /^node_modules\/@(biomejs\/cli|rolldown\/binding)-/;

it('every package has its integrity, save tools of development for other systems', () => {
  expect(packages.length).toBeGreaterThan(200);
  const bare = packages.filter(
    ([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
  );
  const unsafe = bare.filter(
    ([path, { dev, optional, os = [], cpu = [], libc = [] }]) =>
      !TOOLS.test(path) ||
      dev !== true ||
      optional !== true ||
      (os.includes('linux') && cpu.includes('x64') && !libc.includes('musl')),
  );
  expect(unsafe.map(([path]) => path)).toEqual([]);
});
