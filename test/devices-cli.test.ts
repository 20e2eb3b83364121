import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '../src/node/server/serve.ts';
import { runSuffice, temporaryFolder } from './cli.ts';
import { study } from './http-study.ts';

const root = temporaryFolder();
const at = (name: string) => join(root, name);

/** The rows are public. */
const all = ['--acknowledge', 'none'];

const ok = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await runSuffice(args);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
};

it('suffice study create --open: devices join with one link, each with its own key', async () => {
  const served = await serve({ data: at('data'), port: 0, log: 'none' });
  onTestFinished(() => served.stop());
  writeFileSync(at('study.json'), JSON.stringify(study));
  const rows = Array.from({ length: 12 }, (_, k) => `${k - 5},${3 * (k - 5) + (k % 3)}`);
  writeFileSync(at('rows.csv'), `x,y\n${rows.join('\n')}\n`);
  const create = [
    ...['study', 'create', at('study.json'), '--coordinator', served.address],
    ...['--token-file', served.operatorTokenFile!, '--out', at('links'), '--json'],
  ];
  const forgotten = await runSuffice([...create, '--at-most', '2']);
  expect([forgotten.code, forgotten.stderr]).toEqual([2, expect.stringContaining('--open')]);
  const created = JSON.parse(await ok(...create, '--open', '--at-most', '3'));
  expect(readFileSync(created.open.file, 'utf8').trim()).toBe(created.open.link);
  const open = created.open.file;
  const admin = created.admin.file;
  const joinAs = (home: string) =>
    ok('join', open, at('rows.csv'), '--home', at(home), '--yes', '--quiet', '--json', ...all);

  // To try the study takes no place of it: not before a device has enrolled, and not afterwards.
  const rehearse = (home: string) =>
    ok('join', open, at('rows.csv'), '--home', at(home), '--dry-run');
  for (const home of ['phone', 'tablet', 'laptop', 'desk']) {
    expect(await rehearse(home)).toMatch(/nothing was sent \(--dry-run\)\n/);
  }
  expect(await ok('status', admin)).toContain(
    '0 devices have contributed, 0 of at most 3 enrolled',
  );
  const first = JSON.parse(await joinAs('phone'));
  expect(first.site).toMatch(/^device-[0-9a-f]{24}$/);
  expect(
    await ok('join', open, at('rows.csv'), '--home', at('phone'), '--dry-run', '--replace'),
  ).toContain('nothing was sent');
  const second = JSON.parse(await joinAs('tablet'));
  expect(second.site).not.toBe(first.site);
  const again = await runSuffice(
    ['join', open, at('rows.csv'), '--home', at('phone'), '--add', '--yes', '--quiet', ...all],
    {},
  );
  expect([again.code, again.stderr]).toEqual([5, expect.stringContaining('a device has one')]);
  const status = await ok('status', admin);
  expect(status).toContain(
    '2 devices have contributed, 2 of at most 3 enrolled; enrolling is open',
  );
  expect(status).not.toMatch(/site +state|0 B/); // devices are counted, not listed

  const erased = JSON.parse(await ok('withdraw', open, '--home', at('tablet'), '--yes', '--json'));
  expect(erased.site).toBe(second.site);
  expect(await ok('study', 'end-enrolment', admin)).toContain('enrolled so far: 2');
  const tried = await runSuffice(
    ['join', open, at('rows.csv'), '--home', at('laptop'), '--dry-run'],
    {},
  );
  expect([tried.code, tried.stderr]).toEqual([5, expect.stringContaining('has ended')]);
  const late = await runSuffice(
    ['join', open, at('rows.csv'), '--home', at('laptop'), '--yes', '--quiet', ...all],
    {},
  );
  expect([late.code, late.stderr]).toEqual([5, expect.stringContaining('has ended')]);
  const report = JSON.parse(await ok('report', open, '--wait', '--json'));
  expect(JSON.stringify(report)).toContain(first.site);
  expect(JSON.stringify(report)).not.toContain(second.site);
});
