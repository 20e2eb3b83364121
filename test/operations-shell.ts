import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');

/** The commands of docs/operations.md in their order: those of every store, or those of PostgreSQL. */
export function pageCommands(kind: 'sh' | 'sh postgres'): string[] {
  return [...page.matchAll(/```(sh[^\n]*)\n(.*?)```/gs)]
    .filter(([, found]) => found === kind)
    .flatMap(([, , block]) => block.trim().split('\n'));
}

/** A penguin study and the contribution of its first site, by the commands of an analyst and of that site. */
export function oneContribution(port: number, tokenFile: string): string[] {
  const examples = join(root, 'examples/penguins');
  return [
    `suffice study create ${examples}/study.json --coordinator http://127.0.0.1:${port} --token-file ${tokenFile} --site biscoe --site dream`,
    joinAs('biscoe'),
  ];
}

/** Sends the rows of an island, as its site does. */
export function joinAs(site: string): string {
  return `suffice join penguins-study/${site}.invitation ${root}/examples/penguins/${site}.csv --yes --quiet --acknowledge R5,R6,R7,R9,R11`;
}

/** Why no package can be installed here; undefined where it can. */
export function whyNoRegistry(): string | undefined {
  const asked = spawnSync('npm', ['view', 'hono', 'version'], { timeout: 60_000 });
  return asked.status === 0 ? undefined : 'npm does not reach its registry';
}

/**
 * A machine with an empty npm: its PATH has an `npm` that installs the package of this tree in place of the registry's,
 * with the cache and the prefix in the folder.
 */
export function bareMachine(folder: string): Readonly<Record<string, string>> {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const packed = spawnSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  if (packed.status !== 0) throw new Error(packed.stderr);
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz'))!);
  const npm = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim();
  writeFileSync(
    join(bin, 'npm'),
    `#!/bin/sh\ncase "$*" in\n"install --global suffice"|"install --global suffice@latest") exec ${npm} install --global ${tarball};;\n*) exit 64;;\nesac\n`,
    { mode: 0o755 },
  );
  const prefix = join(folder, 'prefix');
  const home = join(folder, 'home');
  mkdirSync(home);
  return {
    HOME: home,
    PATH: [join(prefix, 'bin'), bin, process.env.PATH].join(delimiter),
    npm_config_prefix: prefix,
    npm_config_cache: join(folder, 'cache'),
    SUFFICE_DATABASE: '',
  };
}

/** A `suffice` of this tree on the PATH, where nothing is installed. */
export function builtMachine(folder: string): Readonly<Record<string, string>> {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const main = join(root, 'dist/command/main.js');
  writeFileSync(join(bin, 'suffice'), `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`, {
    mode: 0o755,
  });
  return { HOME: folder, PATH: [bin, process.env.PATH].join(delimiter) };
}

/** Runs lines in a shell with jobs, as an administrator's; it ends at the first one that fails, and its jobs with it. */
export async function runInShell(
  lines: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly said: string }> {
  const script = join(folder, 'script.sh');
  const end = `trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT`;
  writeFileSync(script, [end, 'set -v', ...lines, ''].join('\n'));
  const child = spawn('bash', ['--norc', '-em', script], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, said };
}
