import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ExperimentResult, PaperResult } from '../experiments/paper-result.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { runBuiltSuffice, startSuffice } from './site-process.ts';

const folder = temporaryFolder();
const small = ['--experiment', 'mse', '--runs', '3', '--nodes', '10', '--dimension', '2'];

/** A result without what differs from run to run. */
function repeatable({ seconds: _, experiments, machine, ...rest }: PaperResult) {
  const alike = { ...rest, machine: machine.replace(/load .*$/, '') };
  return { ...alike, experiments: experiments.map(({ seconds: __, ...kept }) => kept) };
}

describe('suffice paper fesc', async () => {
  const out = join(folder, 'deep', 'fesc');
  const first = await suffice('paper', 'fesc', ...small, '--seed', '9', '--json', '--out', out);

  it('prints the result as JSON and writes it beside its page', () => {
    expect(first.code, first.stderr).toBe(0);
    const result: PaperResult = JSON.parse(first.stdout);
    expect(Object.keys(result)).toEqual([
      'schema',
      'paper',
      'title',
      'source',
      'date',
      'machine',
      'versions',
      'seconds',
      'settings',
      'experiments',
    ]);
    expect(result).toMatchObject({
      schema: 'suffice/paper@1',
      paper: 'fesc',
      settings: { law: 'lognormal-low', runs: 3, nodes: 10, dimension: 2, seed: 9, quick: false },
      versions: { node: process.versions.node },
    });
    expect(result.experiments.map(({ id }: ExperimentResult) => id)).toEqual(['mse']);
    expect(readFileSync(join(out, 'fesc.json'), 'utf8')).toBe(first.stdout);
    expect(readdirSync(out).sort()).toEqual(['fesc.html', 'fesc.json']);
    expect(readFileSync(join(out, 'fesc.html'), 'utf8')).toContain(result.experiments[0].about);
    expect(first.stderr).toContain(`written: ${join(out, 'fesc.html')}`);
  });

  it('gives the same numbers for the same seed, others for a law, which runs what has one, and says what it replaced', async () => {
    const again = await suffice('paper', 'fesc', ...small, '--seed', '9', '--json', '--out', out);
    const other = await suffice('paper', 'fesc', ...small.slice(2), '--law', 'pareto', '--json');
    const [a, b, c] = [first, again, other].map(({ stdout }) => repeatable(JSON.parse(stdout)));
    expect(b).toEqual(a);
    expect(c.experiments[0].tables).not.toEqual(a.experiments[0].tables);
    expect([c.settings.law, c.experiments.map(({ id }) => id)]).toEqual(['pareto', ['mse']]);
    expect(again.stderr).toContain('replaced:');
  });
});

describe('suffice paper ridge', () => {
  it('shows tables, differences and conclusions as text, and writes to the default folder', async () => {
    const { code, stdout, stderr } = await runBuiltSuffice(
      [
        ...['paper', 'ridge', '--quick', '--experiment', 'gradient,crossover', '--trials', '1'],
        ...['--sites', '3', '--rows', '90', '--features', '12', '--heterogeneity', '.25'],
        ...['--ridge', '2e-2', '--seed', '5'],
      ],
      { folder },
    );
    expect(code, stderr).toBe(0);
    expect(stdout.indexOf('(Proposition 4)')).toBeGreaterThan(0);
    expect(stdout.indexOf('(Corollary 2)')).toBeGreaterThan(stdout.indexOf('(Proposition 4)'));
    expect(stdout).toMatch(/\n {2}paper +26\.25\n/);
    expect(stdout).toContain('\ndiffers: ');
    expect(stdout).toContain(
      '3 statements of the paper, on 3 matters, were tried here. Of the matters 3 hold.',
    );
    expect(stdout).toContain('✓ holds: paper, Proposition 4: “No single gradient step');
    expect(stdout).toContain('✓ holds: ours, One-Shot equals the centralised oracle to the last');
    expect(stdout.trimEnd()).toMatch(/written: paper-results\/ridge\.html and .*ridge\.json$/);
    const written = join(folder, 'paper-results');
    expect(readdirSync(written).sort()).toEqual(['ridge.html', 'ridge.json']);
    expect(JSON.parse(readFileSync(join(written, 'ridge.json'), 'utf8')).settings).toEqual({
      sites: 3,
      rowsPerSite: 90,
      features: 12,
      heterogeneity: 0.25,
      ridge: 0.02,
      trials: 1,
      seed: 5,
      quick: true,
    });
  });
});

describe('suffice paper, before anything runs', () => {
  it('lists experiments and laws', async () => {
    const { code, stdout } = await suffice('paper', '--list', '--json');
    const { schema, papers, laws } = JSON.parse(stdout);
    expect([code, schema]).toEqual([0, 'suffice/paper-list@1']);
    const ids = papers.map(({ experiments }: Pick<PaperResult, 'experiments'>) =>
      experiments.map(({ id }) => id),
    );
    expect(ids[0]).toEqual('1 2 3 4 5 6 7 dropout loso gradient crossover inside'.split(' '));
    expect(ids[1]).toEqual(['mse', 'laws']);
    expect(laws).toHaveLength(13);
  });

  it('says what would run, how long, and where to', async () => {
    const target = join(folder, 'planned');
    const { stdout } = await suffice(
      'paper',
      'ridge',
      '--dry-run',
      '--quick',
      '--json',
      '--out',
      target,
    );
    const plan = JSON.parse(stdout);
    expect(plan.experiments).toHaveLength(12);
    expect(plan.seconds).toBeGreaterThan(1);
    expect(plan.written).toEqual([join(target, 'ridge.html'), join(target, 'ridge.json')]);
    expect(existsSync(target)).toBe(false);
  });

  async function refusal(...args: readonly string[]): Promise<string> {
    const { code, stderr } = await suffice('paper', '--out', target, ...args);
    expect(code).toBe(2);
    expect(existsSync(target)).toBe(false);
    return stderr;
  }
  const target = join(folder, 'refused');

  it.each([
    [['fisher', '--epochs', '0'], '--epochs must be a whole number from 1 to 1000: 0'],
    [['fisher', '--trials', '51'], '--trials must be a whole number from 1 to 50: 51'],
    [['images', '--epochs', '3'], '--epochs belongs to suffice paper fisher'],
    [['tables'], 'no such paper: tables'],
    [[], 'which paper?'],
    [['ridge', '--experiment', '8'], 'no such experiment: 8'],
    [['fesc', '--law', 'normal'], 'no such law: normal'],
    [['fesc', '--nodes', '301'], '--nodes must be a whole number from 2 to 300: 301'],
    [['fesc', '--runs', '2.5'], '--runs must be a whole number: 2.5'],
    [['ridge', '--seed', '99999999999'], '--seed must be a whole number from 0 to 4294966295'],
    [['ridge', '--trials', '0'], '--trials must be a whole number from 1 to 1000: 0'],
    [['ridge', '--sites', '1'], '--sites must be a whole number from 2 to 500: 1'],
    [['ridge', '--rows', '4'], '--rows must be a whole number from 5 to 100000: 4'],
    [['ridge', '--features', '1001'], '--features must be a whole number from 2 to 1000: 1001'],
    [['ridge', '--features', '-5'], '--features must be a whole number: -5'],
    [['ridge', '--heterogeneity', '1.1'], '--heterogeneity must be a number from 0 to 1: 1.1'],
    [['ridge', '--heterogeneity', 'much'], '--heterogeneity must be a number: much'],
    [['ridge', '--ridge', '0'], '--ridge must be a number from 1e-9 to 1000000000: 0'],
    [['ridge', '--sites', '500', '--features', '1000'], 'must be at most 100000000: 500000000'],
    [['ridge', '--runs', '3'], '--runs belongs to suffice paper fesc'],
    [['fesc', '--sites', '3'], '--sites belongs to suffice paper ridge'],
    [['fesc', '--pixels', '160'], '--pixels belongs to suffice paper images'],
    [['images', '--pixels', '8'], '--pixels must be from 32 to 256: 8'],
  ])('refuses %j', async (args, told) => {
    expect(await refusal(...args)).toContain(told);
  });

  it('ends a refusal with exit code 2, and what to try on stderr', async () => {
    const { code, stdout, stderr } = await suffice(
      'paper',
      'ridge',
      '--sites',
      '1',
      '--out',
      target,
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--sites must be a whole number from 2 to 500: 1');
    expect(existsSync(target)).toBe(false);
  });

  it.each(['fesc.html', 'fesc.json'])('leaves %s alone where it is not ours', async (name) => {
    const foreign = join(folder, `foreign-${name}`);
    mkdirSync(foreign);
    writeFileSync(join(foreign, name), 'mine');
    expect(await refusal('fesc', ...small, '--out', foreign)).toContain(
      'no result of suffice paper',
    );
    expect(readdirSync(foreign)).toEqual([name]);
    expect(readFileSync(join(foreign, name), 'utf8')).toBe('mine');
  });

  it('refuses a file in place of the folder', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'mine');
    const told = await refusal('fesc', ...small, '--out', join(file, 'below'));
    expect(told).toContain('is a file');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });
});

it('Ctrl-C ends it at once and leaves nothing behind', async () => {
  const target = join(folder, 'stopped');
  const args = ['paper', 'fesc', '--runs', '10000', '--out', target];
  const { child, outcome } = startSuffice(args);
  await pause(900);
  expect(child.exitCode).toBe(null);
  child.kill('SIGINT');
  const { code, stdout } = await outcome;
  expect([code, stdout, child.signalCode]).toEqual([null, '', 'SIGINT']);
  expect(existsSync(target)).toBe(false);
});
