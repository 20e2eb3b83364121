import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that a build is made from. */
const sources = [
  ...['src', 'web', 'experiments', 'build', 'build.mjs', 'package.json', 'package-lock.json'],
  ...['tsconfig.base.json', 'vite.command.config.ts', 'vite.config.ts'],
];

/** What a whole build has: its last files, and the digest of what it was made from. */
const outcomes = ['index.js', 'command/main.js', 'web/index.html', 'experiments'];
export const stamp = 'dist/.built';

/** The digest of everything that a build is made from. */
export function sourceDigest() {
  const hash = createHash('sha256').update(process.version);
  const add = (path, entry) => {
    if (entry?.isDirectory() ?? !/\.\w+$/.test(path)) {
      const inside = readdirSync(path, { withFileTypes: true });
      for (const one of inside.sort((a, b) => (a.name < b.name ? -1 : 1)))
        add(join(path, one.name), one);
    } else hash.update(`${path}\0`).update(readFileSync(path));
  };
  for (const path of sources) add(path);
  return hash.digest('hex');
}

/** Whether `dist/` is the whole build of the sources with this digest. */
export function isBuilt(digest = sourceDigest()) {
  return (
    outcomes.every((path) => existsSync(join('dist', path))) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === digest
  );
}
