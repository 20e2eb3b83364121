import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProgram } from '../src/cli/run.ts';
import { temporaryFolder, testIo } from './cli.ts';
import { stablePort } from './coordinator-process.ts';
import { eventually } from './eventually.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = join(root, 'dist/command/main.js');
const read = (file: string) => readFileSync(join(root, 'deploy', file), 'utf8');
const has = (program: string, ...args: readonly string[]) =>
  spawnSync(program, [...args]).status === 0;

/** The flags that a command of this program has. */
async function flagsOf(...path: readonly string[]): Promise<ReadonlySet<string>> {
  let command = await createProgram([...path], testIo().io);
  for (const name of path) command = command.commands.find((one) => one.name() === name)!;
  return new Set(command.options.flatMap(({ long }) => long ?? []));
}

/** Refuses words that are no flags of the command that they start. */
async function expectFlags(words: readonly string[]): Promise<void> {
  const path = words.slice(0, words[0] === 'helper' ? 2 : 1);
  const known = await flagsOf(...path);
  const flags = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]);
  expect(flags.length).toBeGreaterThan(1);
  expect(flags.filter((flag) => !known.has(flag))).toEqual([]);
}

describe('deploy/Dockerfile', () => {
  const instructions = read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => /^([A-Z]+) (.*)$/.exec(line)!.slice(1, 3) as [name: string, rest: string]);
  const all = (name: string) =>
    instructions.filter(([one]) => one === name).map(([, rest]) => rest);
  const list = (name: string): string[] =>
    JSON.parse(
      all(name)
        .at(-1)!
        .replace(/^.* CMD /, ''),
    );

  it('has instructions of Docker, and copies what there is', () => {
    const known =
      /^(ARG|FROM|WORKDIR|COPY|RUN|ENV|USER|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD)$/;
    expect(instructions.filter(([name]) => !known.test(name))).toEqual([]);
    const sources = all('COPY')
      .filter((rest) => !rest.startsWith('--from'))
      .flatMap((rest) => rest.split(' ').slice(0, -1));
    expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const stages = all('FROM').flatMap((rest) => / AS (\w+)$/.exec(rest)?.[1] ?? []);
    const from = all('COPY').flatMap((rest) => /^--from=(\w+)/.exec(rest)?.[1] ?? []);
    expect(from.filter((stage) => !stages.includes(stage))).toEqual([]);
    expect(all('USER').at(-1)).not.toBe('root');
    // The build reads the configuration of every folder with sources.
    const ignored = read('Dockerfile.dockerignore').trim().split('\n');
    const { references = [] } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
    const needed = references.map(({ path }: { path: string }) => path.replace('./', ''));
    expect(needed.filter((path: string) => ignored.includes(path.split('/')[0]))).toEqual([]);
  });

  it('starts a coordinator that its own health check finds well', async () => {
    const folder = temporaryFolder();
    const port = await stablePort();
    const here = (word: string) =>
      word.replace(/^\/(data|releases)\b/, `${folder}/$1`).replaceAll('7700', String(port));
    mkdirSync(join(folder, 'releases'));
    expect(list('ENTRYPOINT')).toEqual(['suffice']);
    await expectFlags(list('CMD'));
    const child = spawn(process.execPath, [main, ...list('CMD').map(here)], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [, ...check] = list('HEALTHCHECK').map(here);
    const ill = spawnSync(
      process.execPath,
      check.map((word) => word.replace(/127.*healthz/, '127.0.0.1:9')),
    );
    expect(ill.status).toBe(1);
    await eventually(async () => expect(spawnSync(process.execPath, check).status).toBe(0));
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect((await exit)[0]).toBe(0);
  });
});

const noYaml = has('python3', '-c', 'import yaml') ? undefined : 'python3 has no yaml';
if (noYaml !== undefined) console.warn(`the YAML of deploy/ is not checked: ${noYaml}`);

function yamlOf<T>(file: string): T[] {
  const program = 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))';
  return JSON.parse(
    execFileSync('python3', ['-c', program], { input: read(file), encoding: 'utf8' }),
  );
}

interface Service {
  readonly command?: string | readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly profiles?: readonly string[];
  readonly build?: { readonly context: string; readonly dockerfile: string };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

describe.skipIf(noYaml !== undefined)('deploy/compose.yaml', () => {
  it('names only what it has, keeps the database inside, and starts commands that exist', async () => {
    const [{ services, volumes, networks }] = yamlOf<Compose>('compose.yaml');
    const rows = Object.entries(services);
    expect(rows.map(([name]) => name)).toEqual([
      ...['database', 'coordinator', 'proxy', 'helper', 'helper-proxy'],
    ]);
    for (const [, service] of rows) {
      const mounted = (service.volumes ?? []).map((text) => text.split(':')[0]);
      expect(mounted.filter((name) => !(name in volumes))).toEqual([]);
      expect((service.networks ?? []).filter((name) => !(name in networks))).toEqual([]);
      expect(Object.keys(service.depends_on ?? {}).filter((name) => !(name in services))).toEqual(
        [],
      );
      if (service.build === undefined) continue;
      expect(
        existsSync(join(root, 'deploy', service.build.context, service.build.dockerfile)),
      ).toBe(true);
      await expectFlags(service.command as readonly string[]);
    }
    expect(services.database.networks).toEqual(['inside']);
    expect(networks.inside).toEqual({ internal: true });
    // Together the two see every site: a plain start must not start both.
    expect([services.coordinator.profiles, services.helper.profiles]).toEqual([
      undefined,
      ['helper'],
    ]);
  });
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas?: number;
    readonly strategy?: { readonly type: string };
    readonly template?: { readonly spec: Pod };
  };
}

interface Pod {
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly volumeMounts: readonly { readonly name: string }[];
    readonly readinessProbe: { readonly httpGet: { readonly path: string } };
  }[];
  readonly volumes: readonly {
    readonly name: string;
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
}

describe.skipIf(noYaml !== undefined)('deploy/kubernetes.yaml', () => {
  it('runs one coordinator on its volumes, by a command that exists', async () => {
    const manifests = yamlOf<Manifest>('kubernetes.yaml');
    const named = (kind: string) =>
      manifests.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
    const { spec } = manifests.find(({ kind }) => kind === 'Deployment')!;
    expect([spec.replicas, spec.strategy]).toEqual([1, { type: 'Recreate' }]);
    const { containers, volumes } = spec.template!.spec;
    await expectFlags(containers[0].args);
    const mounted = containers[0].volumeMounts.map(({ name }) => name);
    expect(mounted).toEqual(volumes.map(({ name }) => name));
    const claims = volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
    expect(claims).toEqual(named('PersistentVolumeClaim'));
    expect(containers[0].readinessProbe.httpGet.path).toBe('/healthz');
  });
});

describe('deploy/suffice.service', () => {
  const unit = read('suffice.service');
  const start = /^ExecStart=\/usr\/bin\/suffice (.*)$/m.exec(unit)![1];

  it('starts a command that exists', () => expectFlags(start.split(' ')));

  it.skipIf(!has('systemd-analyze', '--version'))('is as systemd wants it', () => {
    const file = join(temporaryFolder(), 'suffice.service');
    // systemd looks for the program, which is not installed here.
    writeFileSync(file, unit.replace('/usr/bin/suffice', process.execPath));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});

const noLogrotate = has('logrotate', '--version') ? undefined : 'logrotate is not installed';
if (noLogrotate !== undefined) console.warn(`deploy/logrotate.conf is not run: ${noLogrotate}`);

describe('deploy/logrotate.conf', () => {
  it('rotates the file that the service writes, and reloads as the service does', () => {
    expect(read('suffice.service')).toContain('--log-file=/var/log/suffice/suffice.log');
    expect(read('logrotate.conf')).toMatch(/^\/var\/log\/suffice\/\*\.log \{$/m);
    expect(read('logrotate.conf')).toContain('--signal=HUP suffice.service');
  });

  it.skipIf(noLogrotate !== undefined)(
    'is run by logrotate: the old log is moved, a new one made',
    () => {
      const folder = temporaryFolder();
      const log = join(folder, 'suffice.log');
      writeFileSync(log, 'a line\n');
      const configuration = join(folder, 'conf');
      const own = read('logrotate.conf')
        .replace('/var/log/suffice', folder)
        .replace('create 0640 suffice suffice', 'create 0640')
        .replace(/systemctl .*/, `touch ${folder}/signalled`);
      writeFileSync(configuration, own, { mode: 0o644 });
      const args = ['--force', '--state', join(folder, 'state'), configuration];
      const { status, stderr } = spawnSync('logrotate', args, { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      expect(readFileSync(`${log}.1`, 'utf8')).toBe('a line\n');
      expect([readFileSync(log, 'utf8'), existsSync(join(folder, 'signalled'))]).toEqual([
        '',
        true,
      ]);
    },
  );
});
