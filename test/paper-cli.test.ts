import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ExperimentResult, PaperResult } from '../experiments/paper-result.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { runSuffice, startSuffice } from './site-process.ts';

const folder = temporaryFolder();
const small = ['--experiment', 'mse', '--runs', '3', '--nodes', '10', '--dimension', '2'];

/** A result without what differs from run to run. */
function repeatable({ seconds: _, experiments, ...rest }: PaperResult) {
  return { ...rest, experiments: experiments.map(({ seconds: __, ...kept }) => kept) };
}

describe('suffice paper fesc', () => {
  const out = join(folder, 'deep', 'fesc');
  const first = suffice('paper', 'fesc', ...small, '--seed', '9', '--json', '--out', out);

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

  it('gives the same numbers for the same seed, others for another, and says what it replaced', () => {
    const again = suffice('paper', 'fesc', ...small, '--seed', '9', '--json', '--out', out);
    const other = suffice('paper', 'fesc', ...small, '--seed', '10', '--json');
    const [a, b, c] = [first, again, other].map(({ stdout }) => repeatable(JSON.parse(stdout)));
    expect(b).toEqual(a);
    expect(c.experiments[0].tables).not.toEqual(a.experiments[0].tables);
    expect(again.stderr).toContain('replaced:');
  });

  it('takes a law, and runs what has one', () => {
    const { stdout } = suffice('paper', 'fesc', ...small.slice(2), '--law', 'pareto', '--json');
    const { experiments, settings }: PaperResult = JSON.parse(stdout);
    expect(experiments.map(({ id }) => id)).toEqual(['mse']);
    expect(settings.law).toBe('pareto');
  });
});

describe('suffice paper ridge', () => {
  it('shows tables, differences and conclusions as text, and writes to the default folder', async () => {
    const { code, stdout, stderr } = await runSuffice(
      ['paper', 'ridge', '--quick', '--experiment', 'gradient,crossover', '--trials', '1'],
      { folder },
    );
    expect(code, stderr).toBe(0);
    expect(stdout.indexOf('(Proposition 4)')).toBeGreaterThan(0);
    expect(stdout.indexOf('(Corollary 2)')).toBeGreaterThan(stdout.indexOf('(Proposition 4)'));
    expect(stdout).toMatch(/\n {2}paper +26\.25\n/);
    expect(stdout).toContain('\ndiffers: ');
    expect(stdout).toContain('✓ holds: One-Shot equals the centralised oracle to the last bit');
    expect(stdout.trimEnd()).toMatch(/written: paper-results\/ridge\.html and .*ridge\.json$/);
    const files = readdirSync(join(folder, 'paper-results'));
    expect(files.sort()).toEqual(['ridge.html', 'ridge.json']);
  });
});

describe('suffice paper, before anything runs', () => {
  it('lists experiments and laws', () => {
    const { code, stdout } = suffice('paper', '--list', '--json');
    const { schema, papers, laws } = JSON.parse(stdout);
    expect([code, schema]).toEqual([0, 'suffice/paper-list@1']);
    const ids = papers.map(({ experiments }: Pick<PaperResult, 'experiments'>) =>
      experiments.map(({ id }) => id),
    );
    expect(ids[0]).toEqual('1 2 3 4 5 6 7 dropout loso gradient crossover'.split(' '));
    expect(ids[1]).toEqual(['mse', 'laws']);
    expect(laws).toHaveLength(13);
    expect(suffice('paper', '--list').stdout).toContain('lognormal-high');
  });

  it('says what would run, how long, and where to', () => {
    const target = join(folder, 'planned');
    const { stdout } = suffice('paper', 'ridge', '--dry-run', '--quick', '--json', '--out', target);
    const plan = JSON.parse(stdout);
    expect(plan.experiments).toHaveLength(11);
    expect(plan.seconds).toBeGreaterThan(1);
    expect(plan.written).toEqual([join(target, 'ridge.html'), join(target, 'ridge.json')]);
    expect(existsSync(target)).toBe(false);
  });

  it.each([
    [['fisher'], 'not built'],
    [['tables'], 'no such paper: tables'],
    [[], 'which paper?'],
    [['ridge', '--experiment', '8'], '1, 2, 3'],
    [['fesc', '--law', 'normal'], 'gaussian-low'],
    [['fesc', '--nodes', '301'], 'from 2 to 300: 301'],
    [['fesc', '--runs', '2.5'], '--runs must be a whole number: 2.5'],
    [['ridge', '--seed', '99999999999'], '--seed must be a whole number from 0'],
    [['ridge', '--runs', '3'], '--runs belongs to suffice paper fesc'],
  ])('refuses %j', (args, told) => {
    const target = join(folder, 'refused');
    const { code, stdout, stderr } = suffice('paper', ...args, '--out', target);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(told);
    expect(existsSync(target)).toBe(false);
  });
});

describe('files of others', () => {
  it.each(['fesc.html', 'fesc.json'])('%s that is not ours is left alone', (name) => {
    const target = join(folder, `foreign-${name}`);
    mkdirSync(target);
    writeFileSync(join(target, name), 'mine');
    const { code, stderr } = suffice('paper', 'fesc', ...small, '--out', target);
    expect(code).toBe(2);
    expect(stderr).toContain('no result of suffice paper');
    expect(readdirSync(target)).toEqual([name]);
    expect(readFileSync(join(target, name), 'utf8')).toBe('mine');
  });

  it('a file in place of the folder is refused', () => {
    const target = join(folder, 'file');
    writeFileSync(target, 'mine');
    const { code, stderr } = suffice('paper', 'fesc', ...small, '--out', join(target, 'below'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('is a file')]);
    expect(readFileSync(target, 'utf8')).toBe('mine');
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
