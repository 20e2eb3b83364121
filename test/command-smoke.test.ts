import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commands } from '../src/cli/commands.ts';
import { type Served, serve } from '../src/node/server/serve.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { startServing } from './serving.ts';
import { runBuiltSuffice } from './site-process.ts';

const folder = temporaryFolder();
const inFolder = (name: string) => join(folder, name);
const penguins = (name: string) =>
  fileURLToPath(new URL(`../examples/penguins/${name}`, import.meta.url));
const islands = ['biscoe', 'dream', 'torgersen'].map((island) => penguins(`${island}.csv`));
const study = penguins('study.json');
const home = ['--home', inFolder('home')];
const link = (name: string, file: string) => inFolder(join(name, file));

interface Row {
  readonly args: readonly string[];
  readonly says: RegExp;
}

/** One real process a command. What each does further is tested in this process, elsewhere. */
const rows: Readonly<Record<string, Row>> = {
  demo: { args: ['demo', '--help'], says: /^Usage: suffice demo/ }, // demo.test.ts runs it
  fit: {
    args: ['fit', 'body_mass ~ species', ...islands],
    says: /\n342 rows from 3 sites; exact integers on a 44-bit grid\n/,
  },
  study: { args: ['study', 'digest', study], says: /^sha256:[0-9a-f]{64}\n$/ },
  backup: {
    args: ['backup', '--data', inFolder('data'), '--out', inFolder('backup.db')],
    says: / is a copy of .*checked\n {2}studies +2 /,
  },
  restore: {
    args: ['restore', inFolder('earlier.db'), '--data', inFolder('restored')],
    says: /restored is restored from .*\n {2}studies +2 /,
  },
  doctor: { args: ['doctor', '--data', inFolder('data')], says: /\n0 problems, / },
  helper: { args: ['helper', '--help'], says: /^Usage: suffice helper/ }, // secure-study.test.ts runs it
  key: { args: ['key', ...home], says: /^[\w-]{43}\n$/ },
  status: {
    args: ['status', link('done', 'admin.link')],
    says: /\nstate {7}resolved; 2 of 2 sites/,
  },
  close: { args: ['close', link('done', 'admin.link')], says: /^study \S+ is resolved: / },
  report: { args: ['report', link('done', 'admin.link')], says: /\n286 rows from 2 sites/ },
  predict: {
    args: ['predict', inFolder('model.json'), islands[1]],
    says: /^\.fitted,\.link\n0\.2318/,
  },
  export: {
    args: ['export', inFolder('model.json'), '--format', 'csv'],
    says: /^term,estimate,std\.error/,
  },
  evaluate: {
    args: ['evaluate', inFolder('model.json'), islands[1], '--yes', ...home],
    says: /"schema": "suffice\/evaluation@1"/,
  },
  withdraw: {
    args: ['withdraw', link('open', 'biscoe.invitation'), '--yes', ...home],
    says: /^biscoe has left the study: 1 contribution erased/,
  },
  open: { args: ['open', '--help'], says: /^Usage: suffice open/ }, // secure-open.test.ts runs it
  verify: {
    args: ['verify', inFolder('resolution.json')],
    says: / is a resolution as it was signed/,
  },
  'audit-log': {
    args: ['audit-log', 'verify', link('done', 'admin.link')],
    says: /^\d+ entries follow one another/,
  },
  join: {
    args: [
      ...['join', link('open', 'dream.invitation'), islands[1], '--yes'],
      ...['--acknowledge', 'R6', ...home],
    ],
    says: /\nSent and acknowledged\./,
  },
  contribute: {
    args: [
      'contribute',
      study,
      islands[0],
      '--out',
      inFolder('new.suffice'),
      '--home',
      inFolder('new-home'),
    ],
    says: /new\.suffice holds the contribution of biscoe/,
  },
  sql: {
    args: ['sql', study, '--dialect', 'postgres', '--table', 'penguins'],
    says: /^-- Suffice: the statistic of a study as a query for PostgreSQL/,
  },
  combine: {
    args: ['combine', study, inFolder('biscoe.suffice'), inFolder('dream.suffice')],
    says: /\n286 rows from 2 sites/,
  },
  audit: {
    args: ['audit', study, islands[0], '--home', inFolder('other-home')],
    says: /No rule objects\./,
  },
  ledger: {
    args: ['ledger', '--home', inFolder('no-home')],
    says: /^nothing has left this site/,
  },
  privacy: {
    args: ['privacy', 'convert', '--epsilon', '1', '--delta', '1e-5'],
    says: /\nμ = 0\.2680511232\n/,
  },
  attack: { args: ['attack', islands[1]], says: /\n {2}123 rows, 7 columns/ },
  paper: { args: ['paper', '--list'], says: /^\nsuffice paper ridge/ },
  bench: { args: ['bench', '--help'], says: /^Usage: suffice bench/ }, // bench.test.ts runs it
  version: { args: ['version'], says: /^\d+\.\d+\.\d+\n$/ },
  completion: { args: ['completion', 'bash'], says: /\ncomplete .* suffice\n$/ },
};

let coordinator: Served;

async function ran(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await suffice(...args);
  expect(code, `suffice ${args.join(' ')}\n${stderr}`).toBe(0);
}

/** A study of two islands, of which the first so many have joined. */
async function studyAt(name: string, joined: number): Promise<void> {
  const path = inFolder(`${name}.json`);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(study, 'utf8')), name }));
  const token = ['--token-file', coordinator.operatorTokenFile!];
  const sites = ['--site', 'biscoe', '--site', 'dream'];
  const place = ['--coordinator', coordinator.address, '--out', inFolder(name)];
  await ran('study', 'create', path, ...place, ...token, ...sites);
  for (const [k, island] of ['biscoe', 'dream'].slice(0, joined).entries()) {
    const invitation = link(name, `${island}.invitation`);
    await ran('join', invitation, islands[k], '--yes', '--acknowledge', 'R6', ...home);
  }
}

beforeAll(async () => {
  coordinator = await serve({ data: inFolder('data'), port: 0, log: 'none' });
  await studyAt('done', 2);
  await studyAt('open', 1);
  await ran('report', link('done', 'admin.link'), '--wait', '--out', inFolder('resolution.json'));
  for (const [k, island] of ['biscoe', 'dream'].entries()) {
    const out = ['--out', inFolder(`${island}.suffice`), '--acknowledge', 'R6'];
    await ran('contribute', study, islands[k], ...out, ...home);
  }
  await ran('backup', '--data', inFolder('data'), '--out', inFolder('earlier.db'));
  const model = inFolder('model.json');
  const formula = 'sex ~ bill_length + body_mass';
  await ran('fit', formula, ...islands, '--family', 'binomial', '--save-model', model);
  const saved = JSON.parse(readFileSync(model, 'utf8'));
  const evaluated = { ...saved, study: { ...saved.study, evaluation: { bins: 20 } } };
  writeFileSync(model, JSON.stringify(evaluated));
});

afterAll(() => coordinator?.stop());

it('every command has its row', () => {
  expect([...Object.keys(rows), 'serve'].sort()).toEqual(Object.keys(commands).sort());
});

// In the check every third command stands for the rest: what each does is tested in this process, elsewhere.
const started = Object.entries(rows).filter((_, k) => enduring || k % 3 === 1);

it.each(started)('suffice %s', async (_, { args, says }) => {
  const { code, stdout, stderr } = await runBuiltSuffice(args);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(says);
});

it('suffice serve', async () => {
  const serving = await startServing(['--data', inFolder('served'), '--log', 'none']);
  expect(serving.ready).toMatchObject({ schema: 'suffice/serving@1', store: 'sqlite' });
  expect(await serving.stop()).toBe(0);
});

it('an unknown command ends with exit code 2', async () => {
  const { code, stderr } = await runBuiltSuffice(['fitt']);
  expect([code, stderr]).toEqual([2, expect.stringContaining("unknown command 'fitt'")]);
});
