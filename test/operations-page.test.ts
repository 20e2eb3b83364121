import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Io } from '../src/cli/io.ts';
import { run } from '../src/cli/run.ts';
import { postStudy } from '../src/protocol/client.ts';
import { runSuffice, temporaryFolder, testIo } from './cli.ts';
import { stablePort } from './coordinator-process.ts';
import { anyStudy } from './coordinator-study.ts';
import { eventually } from './eventually.ts';

const page = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
const commands = [...page.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) =>
  block.trim().split('\n'),
);

/** The coordinator that was started last, as a shell's first job. */
interface Job {
  readonly ended: Promise<number>;
  readonly log: string;
  signal(name: string): void;
}

/** Starts `suffice serve` in this process, and waits until it is ready. */
async function startJob(args: readonly string[], folder: string): Promise<Job> {
  const { io, printed } = testIo({ folder });
  const heard = new Map<string, Set<() => unknown>>();
  const own: Io = {
    ...io,
    onSignal(signal, listener) {
      const listeners = heard.get(signal) ?? new Set();
      heard.set(signal, listeners.add(listener));
      return () => listeners.delete(listener);
    },
  };
  const ended = run(args, own);
  await Promise.race([
    eventually(async () => expect(printed().stdout).toContain('Ctrl-C stops it.')),
    ended.then((code) => {
      throw new Error(`exit ${code}: ${printed().stderr}`);
    }),
  ]);
  return {
    ended,
    log: join(folder, args[args.indexOf('--log-file') + 1]),
    signal: (name) => {
      for (const listener of heard.get(name) ?? []) listener();
    },
  };
}

it('docs/operations.md: every command works, in its order', async () => {
  const folder = temporaryFolder();
  const port = await stablePort();
  const address = `http://127.0.0.1:${port}`;
  let job: Job | undefined;
  const stop = async () => {
    job?.signal('SIGTERM');
    expect(await job?.ended).toBe(0);
    job = undefined;
  };
  onTestFinished(async () => void (job && (await stop())));
  const count = { suffice: 0, serve: 0, shell: 0 };

  /** Each command has one way to run it here; a line of another kind fails. */
  const ways: readonly [RegExp, (words: readonly string[], line: string) => Promise<void>][] = [
    [
      /^npm install --global suffice(@latest)?$/,
      async () => {
        const { name, bin } = JSON.parse(
          readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
        );
        expect([name, Object.keys(bin)]).toEqual(['suffice', ['suffice']]);
      },
    ],
    [
      /^suffice serve .* &$/,
      async ([, ...words]) => {
        expect(job).toBeUndefined();
        job = await startJob(words.slice(0, -1), folder);
        count.serve++;
        if (count.serve > 1) return;
        const token = readFileSync(join(folder, 'suffice-data', 'admin-token'), 'utf8').trim();
        await postStudy(address, token, { study: anyStudy(), sites: ['a', 'b'] });
      },
    ],
    [
      /^suffice /,
      async ([, ...words], line) => {
        const { code, stdout, stderr } = await runSuffice(words, { folder });
        expect([code, stderr], `${line}\n${stdout}${stderr}`).toEqual([0, '']);
        if (words.includes('--json')) expect(JSON.parse(stdout).schema).toMatch(/^suffice\//);
        count.suffice++;
      },
    ],
    [
      /^curl --fail --silent --retry \d+ --retry-delay 1 --retry-connrefused http\S+$/,
      async (words) => expect((await fetch(words.at(-1)!)).status).toBe(200),
    ],
    [/^kill %1 && wait %1$/, stop],
    [
      /^kill -HUP %1$/,
      async () => {
        const { log } = job!;
        expect(existsSync(log)).toBe(false);
        job!.signal('SIGHUP');
        await eventually(async () => expect(statSync(log).mode & 0o007).toBe(0));
      },
    ],
    [
      /^(mkdir|mv|rm|find) /,
      async (_, line) => {
        execFileSync('sh', ['-c', line], { cwd: folder });
        count.shell++;
      },
    ],
  ];
  for (const written of commands) {
    const line = written
      .replaceAll('7700', String(port))
      .replaceAll('$(date +%F)', new Date().toISOString().slice(0, 10));
    const way = ways.find(([kind]) => kind.test(line));
    expect(way, `no way to run ${line}`).toBeDefined();
    await way![1](line.split(' '), line);
  }
  const moved = readFileSync(join(folder, 'suffice.log.1'), 'utf8');
  const after = readFileSync(job!.log, 'utf8');
  expect(moved).toContain('"event":"listening"');
  await eventually(async () => expect(readFileSync(job!.log, 'utf8')).toContain('/healthz'));
  expect(after).not.toContain('"event":"listening"');
  expect(count).toEqual({ suffice: 14, serve: 4, shell: 5 });
  const state = await runSuffice(['doctor', '--data', 'suffice-data', '--json'], { folder });
  const { results }: { results: { check: string; text: string }[] } = JSON.parse(state.stdout);
  expect(results.find(({ check }) => check === 'store')?.text).toMatch(/^1 study/);
});

/** The rows of the table after a heading line, as cells. */
function tableAfter(text: string): string[][] {
  const lines = page.slice(page.indexOf(text)).split('\n').slice(2);
  return lines
    .slice(
      0,
      lines.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

it('docs/operations.md: the capacity follows from the constants', () => {
  const constants = Object.fromEntries(
    tableAfter('| constant').map(([name, value]) => [name, Number(value)]),
  );
  const { R, B, U, L, S, V } = constants;
  expect(Object.keys(constants)).toEqual(['R', 'B', 'U', 'L', 'S', 'V', 'C']);
  for (const row of tableAfter('| sites n')) {
    const [n, h, coordinators, store, arriving, resolving, view] = row.map((cell) =>
      Number(cell.split(' ')[0]),
    );
    expect(coordinators).toBe(Math.ceil(n / (3600 * h * R)));
    const near = (found: number, computed: number) =>
      expect(Math.abs(found / computed - 1)).toBeLessThan(0.03);
    near(store, (n * (B + L)) / 1e9);
    near(arriving, (8 * n * U) / (3600 * h) / 1e6);
    near(resolving, n * S);
    near(view, (n * V) / 1e6);
  }
  const load = readFileSync(new URL('../bench/RESULTS.md', import.meta.url), 'utf8');
  expect(load).toContain('## load: ');
});
