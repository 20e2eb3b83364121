import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exitCode } from '../src/cli/io.ts';
import { createProgram } from '../src/cli/run.ts';
import { temporaryFolder, testIo } from './cli.ts';
import { stablePort } from './coordinator-process.ts';
import { instructions } from './dockerfile.ts';
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

/** Whether a path is below one of these folders. */
const within = (path: string, folders: readonly string[]) =>
  folders.some((folder) => path.startsWith(`${folder}/`));

/** The value of a flag that is written `--flag=value`. */
const flagValue = (words: readonly string[], flag: string) =>
  words.find((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3);

/** The paths that flags of a command name. */
const pathsIn = (words: readonly string[]) =>
  words.flatMap((word) => /^--[\w-]+=(\/.*)$/.exec(word)?.[1] ?? []);

describe('deploy/Dockerfile', () => {
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

  it('keeps the rules of Dockerfiles', () => {
    const images = all('FROM').map((rest) => rest.split(' ')[0]);
    const version = /^NODE_VERSION=(\d+)$/.exec(all('ARG')[0])?.[1];
    const named = images.map((image) => image.replace(/\$\{NODE_VERSION\}/, version ?? ''));
    expect(named).toEqual(named.map(() => `node:${version}-slim`));
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    // Even versions get years of mends; the floor of the package is older than what an image should have.
    const floor = Number(/^>=(\d+)$/.exec(engines.node)?.[1]);
    expect([Number(version) % 2, Number(version) >= floor]).toEqual([0, true]);
    // A shell would take the signals; two of them would leave one without effect.
    for (const name of ['CMD', 'ENTRYPOINT', 'HEALTHCHECK', 'VOLUME']) {
      expect([name, all(name).length]).toEqual([name, 1]);
      expect([name, Array.isArray(list(name))]).toEqual([name, true]);
    }
    expect(all('WORKDIR').filter((path) => !path.startsWith('/'))).toEqual([]);
    expect(all('RUN').filter((line) => /\b(sudo|curl|wget|apt-get)\b|;/.test(line))).toEqual([]);
    // What is copied before the first install changes seldom: the layer is kept.
    const order = instructions.map(([name, rest]) => `${name} ${rest}`);
    const install = order.findIndex((line) => line.startsWith('RUN npm install --ignore-scripts '));
    expect(install).toBeGreaterThan(order.indexOf('COPY package.json package-lock.json ./'));
    expect(install).toBeLessThan(order.indexOf('COPY . .'));
    // One port, and every path of the command on a volume.
    const command = list('CMD');
    expect(command[command.indexOf('--port') + 1]).toBe(all('EXPOSE')[0]);
    expect(list('HEALTHCHECK').join(' ')).toContain(`:${all('EXPOSE')[0]}/healthz`);
    const paths = command.filter((word) => word.startsWith('/'));
    expect(paths.filter((path) => !within(path, list('VOLUME')))).toEqual([]);
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
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: object;
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
    // Proxies lead to the ports that commands listen at; files are on volumes; who is waited for has a check.
    for (const [proxy, name] of [
      ['proxy', 'coordinator'],
      ['helper-proxy', 'helper'],
    ]) {
      const command = services[name].command as readonly string[];
      expect(services[proxy].command).toContain(`--to ${name}:${flagValue(command, 'port')}`);
      expect(services[proxy].depends_on).toEqual({ [name]: { condition: 'service_healthy' } });
      expect(flagValue(command, 'host')).toBe('0.0.0.0');
      const folders = services[name].volumes!.map((text) => text.split(':')[1]);
      expect(pathsIn(command).filter((path) => !within(path, folders))).toEqual([]);
      expect(read('Dockerfile')).toContain(`EXPOSE ${flagValue(command, 'port')}\n`);
    }
    expect(services.database.healthcheck).toBeDefined();
    for (const [, { image }] of rows) expect(image).toMatch(/^(suffice|[a-z]+:\d+)$/);
    // The address of the database is the one of the service; the head of the file says what to set.
    const { SUFFICE_DATABASE: address } = services.coordinator.environment!;
    const { POSTGRES_USER: user, POSTGRES_DB: db } = services.database.environment!;
    expect(address).toBe(
      `postgres://${user}:\${POSTGRES_PASSWORD:-}@database/${db}?sslmode=disable`,
    );
    const text = read('compose.yaml');
    const set = [...text.matchAll(/\$\{(\w+):-/g)].map(([, name]) => name);
    const head = text.slice(0, text.indexOf('services:'));
    expect([...new Set(set)].filter((name) => !head.includes(`${name}=`))).toEqual([]);
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
    readonly selector?: { readonly matchLabels?: object };
    readonly template?: { readonly metadata: { readonly labels: object }; readonly spec: Pod };
    readonly ports?: readonly { readonly targetPort: string }[];
  };
}

interface Pod {
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
    readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
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
    const [{ args, ports, volumeMounts, readinessProbe }] = containers;
    expect(readinessProbe.httpGet).toEqual({ path: '/healthz', port: ports[0].name });
    expect(String(ports[0].containerPort)).toBe(flagValue(args, 'port'));
    const folders = volumeMounts.map(({ mountPath }) => mountPath);
    expect(pathsIn(args).filter((path) => !within(path, folders))).toEqual([]);
    const service = manifests.find(({ kind }) => kind === 'Service')!.spec;
    expect(service.ports?.map(({ targetPort }) => targetPort)).toEqual([ports[0].name]);
    expect(service.selector).toEqual(spec.selector!.matchLabels);
    expect(spec.template!.metadata.labels).toEqual(spec.selector!.matchLabels);
  });
});

describe('deploy/suffice.service', () => {
  const unit = read('suffice.service');
  const start = /^ExecStart=suffice (.*)$/m.exec(unit)![1];

  it('starts a command that exists, and lets it write where it has to', async () => {
    await expectFlags(start.split(' '));
    const folders = [...unit.matchAll(/^(State|Logs)Directory=(.*)$/gm)].flatMap(
      ([, kind, names]) =>
        names.split(' ').map((name) => `/var/${kind === 'State' ? 'lib' : 'log'}/${name}`),
    );
    expect(pathsIn(start.split(' ')).filter((path) => !within(path, folders))).toEqual([]);
    // What a restart cannot mend has these exit codes.
    const { usage, invalidData } = exitCode;
    expect(unit).toContain(`RestartPreventExitStatus=${usage} ${invalidData}\n`);
  });

  it.skipIf(!has('systemd-analyze', '--version'))('is as systemd wants it', () => {
    const file = join(temporaryFolder(), 'suffice.service');
    // systemd looks for the program, which is not installed here.
    writeFileSync(file, unit.replace('ExecStart=suffice', `ExecStart=${process.execPath}`));
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
