import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Io } from '../src/cli/io.ts';
import { run } from '../src/cli/run.ts';
import { postStudy } from '../src/protocol/client.ts';
import { capacityRow, treeColumn } from './capacity.ts';
import { runSuffice, temporaryFolder, testIo } from './cli.ts';
import { stablePort } from './coordinator-process.ts';
import { anyStudy } from './coordinator-study.ts';
import { eventually } from './eventually.ts';
import { pageCommands } from './operations-shell.ts';

const page = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
const commands = pageCommands('sh');

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

describe('docs/operations.md: the capacity follows from the constants', () => {
  const measured = tableAfter('| constant');
  const constantsAt = (column: number) =>
    Object.fromEntries(measured.map((cells) => [cells[0], Number(cells[column])]));
  const constants = new Map([
    [20, constantsAt(1)],
    [100, constantsAt(2)],
  ]);

  it('bytes, cores, connections, time', () => {
    const rows = tableAfter('| d   ');
    const whole = (cell: string) => Number(cell.replaceAll(',', ''));
    expect(rows).toHaveLength(8);
    expect(rows).toEqual(
      rows.map(([d, n, h]) =>
        capacityRow(Number(d), whole(n), whole(h), constants.get(Number(d))!),
      ),
    );
  });

  it('10⁸ devices in regions of 10,000', () => {
    const rows = tableAfter('| n = 10⁸');
    expect(rows.map((cells) => cells.at(-1))).toEqual(treeColumn(1e8, 1e4, constants.get(20)!));
  });

  it('a contribution has the bytes of its sums and a header', () => {
    for (const [d, { B, U }] of constants) {
      expect(B / (8 * (d + 2) * (d + 3))).toBeGreaterThan(1);
      expect(B - 8 * (d + 2) * (d + 3)).toBeLessThan(1000);
      expect(U).toBeLessThanOrEqual(B);
    }
  });
});
