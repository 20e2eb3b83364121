import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const generated = /^src\/numeric\/\w+\.wasm\.ts$/;

/** A file of the sources, by its path in the project, with what it imports. */
export interface Module {
  readonly file: string;
  readonly text: string;
  /** Files of the project that it imports, for values or for types alone. */
  readonly inner: readonly string[];
  readonly packages: readonly string[];
}

/** Every TypeScript module below some folders of the project. */
export function modulesIn(...folders: readonly string[]): readonly Module[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((file) => join(folder, file))
        .filter((file) => /\.tsx?$/.test(file)),
    )
    .sort()
    .map(moduleAt);
}

function moduleAt(file: string): Module {
  const text = generated.test(file) ? '' : readFileSync(join(root, file), 'utf8');
  const names = Array.from(
    text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^'\n]+)'/g),
    ([, name]) => name,
  );
  return {
    file,
    text,
    inner: names
      .filter((name) => name.startsWith('.'))
      .map((name) => normalize(join(dirname(file), name))),
    packages: names.filter((name) => !name.startsWith('.')),
  };
}

/** Groups of names that import each other in a circle, whatever is imported: the strongly connected components (Tarjan 1972). */
export function cyclesIn(edges: ReadonlyMap<string, Iterable<string>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const enter = (name: string) => {
    order.set(name, order.size);
    lowest.set(name, order.get(name)!);
    open.push(name);
    for (const target of edges.get(name) ?? []) {
      if (!order.has(target)) enter(target);
      if (open.includes(target)) {
        lowest.set(name, Math.min(lowest.get(name)!, lowest.get(target)!));
      }
    }
    if (lowest.get(name) !== order.get(name)) return;
    const group = open.splice(open.indexOf(name));
    if (group.length > 1) cycles.push(group.sort());
  };
  for (const name of edges.keys()) if (!order.has(name)) enter(name);
  return cycles;
}

/** Imports between folders (or between files, by a room that is the file itself). */
export function importsBetween(
  modules: readonly Module[],
  roomOf: (file: string) => string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const edges = new Map<string, Set<string>>();
  for (const { file, inner } of modules) {
    const from = roomOf(file);
    const targets = edges.get(from) ?? new Set();
    edges.set(from, targets);
    for (const target of inner) if (roomOf(target) !== from) targets.add(roomOf(target));
  }
  return edges;
}
