import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { enduring } from './endurance.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** A copy of the sources that may be extended and built without touching these. */
export interface ExtendedCopy {
  readonly folder: string;
  /** The built command. */
  readonly command: string;
  /** Adds a file. */
  add(path: string, text: string): void;
  /** Puts a line after the one that is given. */
  insert(path: string, after: string, line: string): void;
  /** What differs from the sources here: files that are new, and new lines by file. */
  differences(): {
    readonly added: readonly string[];
    readonly changed: Readonly<Record<string, readonly string[]>>;
  };
  /** Runs a program of node_modules; throws what it printed where it fails. */
  tool(name: string, ...args: readonly string[]): Promise<string>;
}

/** Copies all that git tracks, or would, into an empty folder; packages are shared. */
export function extendedCopy(folder: string): ExtendedCopy {
  for (const path of filesIn(root)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), readFileSync(join(root, path)));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  // The compiler, which only `npm run endure` runs, checks again only what differs from the last check here.
  for (const built of enduring ? ['dist', '.cache'] : []) {
    cpSync(join(root, built), join(folder, built), { recursive: true, preserveTimestamps: true });
  }
  execFileSync('git', ['init', '--quiet', folder]);
  const text = (of: string, path: string) => readFileSync(join(of, path), 'utf8');
  return {
    folder,
    command: join(folder, 'dist/command/main.js'),
    add: (path, content) => writeFileSync(join(folder, path), content),
    insert(path, after, line) {
      const lines = text(folder, path).split('\n');
      const place = lines.indexOf(after);
      if (place < 0) throw new Error(`${path} has no line "${after}"`);
      writeFileSync(join(folder, path), lines.toSpliced(place + 1, 0, line).join('\n'));
    },
    differences() {
      const before = new Set(filesIn(root));
      const after = filesIn(folder);
      const both = after.filter((path) => before.has(path));
      const changed = both.filter((path) => text(root, path) !== text(folder, path));
      return {
        added: after.filter((path) => !before.has(path)),
        changed: Object.fromEntries(
          changed.map((path) => [path, newLines(text(root, path), text(folder, path))]),
        ),
      };
    },
    async tool(name, ...args) {
      const program = join(folder, 'node_modules/.bin', name);
      try {
        const { stdout } = await run(program, args, { cwd: folder, maxBuffer: 2 ** 26 });
        return stdout;
      } catch (failure) {
        const { stdout, stderr } = failure as { stdout: string; stderr: string };
        throw new Error(`${name} ${args.join(' ')}\n${stdout}\n${stderr}`);
      }
    },
  };
}

/** Files of a working tree, without those that git ignores. */
function filesIn(folder: string): string[] {
  // The link to the packages is no folder, which is what is ignored by its name.
  const ignored = ['--exclude-standard', '--exclude=node_modules'];
  const flags = ['ls-files', '-z', '--cached', '--others', ...ignored];
  const listed = execFileSync('git', flags, { cwd: folder, encoding: 'utf8' }).split('\0');
  return listed.filter((path) => path !== '' && existsSync(join(folder, path))).toSorted();
}

/** Lines that were put between those of a text; throws where any of these is gone. */
function newLines(before: string, after: string): string[] {
  const kept = before.split('\n');
  const added: string[] = [];
  for (const line of after.split('\n')) {
    if (line === kept[0]) kept.shift();
    else added.push(line);
  }
  if (kept.length > 0) throw new Error(`a line is gone: ${kept[0]}`);
  return added;
}
