import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from './cli.ts';
import { stablePort } from './coordinator-process.ts';
import {
  builtMachine,
  joinAs,
  oneContribution,
  pageCommands,
  runInShell,
} from './operations-shell.ts';

/** The folder with the newest PostgreSQL that has both the server and its commands, as Debian installs them. */
function postgresFolder(): string | undefined {
  const place = '/usr/lib/postgresql';
  if (!existsSync(place)) return undefined;
  return readdirSync(place)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(place, version, 'bin'))
    .find((bin) =>
      ['initdb', 'pg_ctl', 'psql', 'pg_dump', 'pg_restore'].every((name) =>
        existsSync(join(bin, name)),
      ),
    );
}

const programs = postgresFolder();
const reason =
  programs === undefined
    ? 'install postgresql (apt-get install postgresql), for its pg_dump and its server'
    : process.getuid?.() === 0 && spawnSync('id', ['-u', 'postgres']).status !== 0
      ? 'PostgreSQL refuses to run as root, and there is no user postgres'
      : undefined;
if (reason !== undefined) console.warn(`pg_dump and pg_restore are not run: ${reason}`);

/** A server that asks for a password, which a file for PostgreSQL's commands has. */
async function startServer(folder: string) {
  const asUser = (name: string, args: readonly string[]) => {
    const [file, ...rest] =
      process.getuid?.() === 0
        ? ['runuser', '-u', 'postgres', '--', join(programs!, name), ...args]
        : [join(programs!, name), ...args];
    // A server keeps the pipes of who has started it.
    execFileSync(file, rest, { cwd: '/', stdio: 'ignore' });
  };
  const data = join(folder, 'data');
  mkdirSync(data);
  const password = join(folder, 'password');
  writeFileSync(password, 'hush\n');
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', 'postgres', folder]);
  const port = await stablePort();
  asUser('initdb', [
    ...['-D', data, '-U', 'suffice', '--auth=scram-sha-256', `--pwfile=${password}`],
    ...['--no-sync', '--encoding=UTF8', '--locale=C'],
  ]);
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
  asUser('pg_ctl', ['-D', data, '-o', settings, '-l', join(folder, 'log'), '-w', 'start']);
  onTestFinished(() => asUser('pg_ctl', ['-D', data, '-m', 'immediate', 'stop']));
  return port;
}

it.skipIf(reason !== undefined)(
  'docs/operations.md: a database is dumped while sites send, restored into an empty one, checked and served',
  async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const server = join(folder, 'server');
    mkdirSync(server);
    const database = await startServer(server);
    const passwords = join(folder, 'pgpass');
    writeFileSync(passwords, `127.0.0.1:${database}:*:suffice:hush\n`, { mode: 0o600 });
    const port = await stablePort();
    const { PATH, ...rest } = builtMachine(folder);
    const env = {
      ...rest,
      PATH: [programs, PATH].join(delimiter),
      PGPASSFILE: passwords,
      SUFFICE_DATABASE: `postgres://suffice@127.0.0.1:${database}/postgres`,
    };
    const lines = pageCommands('sh postgres').map((line) => line.replaceAll('7700', String(port)));
    const waiting = lines.find((line) => line.startsWith('curl '))!;
    const dump = lines.findIndex((line) => line.includes('pg_dump')) + 1;
    const restore = lines.findIndex((line) => line.startsWith('pg_restore'));
    const { code, said } = await runInShell(
      [
        `suffice serve --admin-token-file admin-token --port ${port} --log none &`,
        waiting,
        ...oneContribution(port, 'admin-token'),
        // The second site sends while the dump is made.
        `${joinAs('dream')} & sending=$!`,
        ...lines.slice(0, dump),
        'wait $sending',
        'kill %1 && wait %1',
        ...lines.slice(dump, restore + 1),
        // A database that is not empty is left as it is.
        `if ${lines[restore]}; then exit 70; fi`,
        ...lines.slice(restore + 1),
        'suffice status penguins-study/admin.link --json > status.json',
      ],
      folder,
      env,
    );
    expect(code, said).toBe(0);
    expect(statSync(join(folder, 'backups', 'suffice.dump')).mode & 0o077).toBe(0);
    const [store] = said.match(/^ok +store .*$/gm)!;
    expect(store).toMatch(/1 study, [12] contributions? .*every chain, digest and seal holds/);
    const status = readFileSync(join(folder, 'status.json'), 'utf8');
    expect(status).toMatch(/"name": ?"biscoe",[^}]*"state": ?"contributed"/);
    expect(said).not.toContain('hush');
  },
);
