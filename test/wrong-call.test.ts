import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { run } from '../src/cli/run.ts';
import { linkText } from '../src/protocol/link.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { utcText } from '../src/text/duration.ts';
import { pPhrase } from '../src/text/number-text.ts';
import { layOutBlocks, plainInk } from '../src/text/text-table.ts';
import { suffice, temporaryFolder, testIo } from './cli.ts';
import { people, recovery } from './join-page.ts';

const root = temporaryFolder();

function file(name: string, content: string | Uint8Array): string {
  const path = join(mkdtempSync(join(root, 'test-')), name);
  writeFileSync(path, content);
  return path;
}

const lines = Array.from({ length: 30 }, (_, r) => {
  return `${r % 7},${20 + ((r * 7) % 50)},${r % 3 === 0 ? 'yes' : 'no'},${(r * 5) % 11}`;
});
const table = `age,dose,ill,y\n${lines.join('\n')}\n`;
const north = file('north.csv', table);

describe('a slip in the formula is told as one, and no file is to be renamed', () => {
  it.each([
    ['fit', ['fit', 'y ~ agee', north]],
    ['study init', ['study', 'init', 'y ~ agee', north, '--out', join(root, 'slip.json')]],
  ])('by suffice %s', async (_, args) => {
    const { code, stderr } = await suffice(...args);
    expect(code).toBe(2);
    expect(stderr).toContain('no column "agee"\n  y ~ agee\n      ^\n  → did you mean age?');
    expect(stderr).not.toContain('rename');
    expect(existsSync(join(root, 'slip.json'))).toBe(false);
  });

  it('unless another file has the column', async () => {
    const south = file('south.csv', table.replace('age', 'agee'));
    const { code, stderr } = await suffice('fit', 'y ~ age', north, south);
    expect([code, stderr]).toEqual([3, expect.stringContaining('rename "agee" to "age"')]);
  });
});

describe('a file that is no table is named', () => {
  const sas = Buffer.from('000000000000000000000000c2ea8160b31411cfbd9208000900', 'hex');
  it.each([
    ['x.dta', Buffer.from('<stata_dta><header><release>118'), 'a Stata file', 'CSV'],
    ['old.dta', Buffer.from([0x72, 2, 1, 0, 4, 0]), 'a Stata file', 'CSV'],
    ['x.rds', gzipSync('X\n'), 'an R file', 'write.csv'],
    ['x.csv.gz', gzipSync(table), 'compressed by gzip', 'unpack it'],
    ['x.sav', Buffer.from('$FL2@(#) SPSS DATA FILE'), 'an SPSS file', 'CSV'],
    ['x.sas7bdat', sas, 'a SAS file', 'CSV'],
    ['x.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'a workbook', 'save the sheet as CSV'],
    ['x.png', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'an image', 'the table'],
    ['x.html', Buffer.from('<!DOCTYPE html><title>'), 'a web page', 'download'],
  ])('%s', async (name, bytes, is, remedy) => {
    const { code, stderr } = await suffice('fit', 'y ~ age', file(name, bytes));
    expect(code).toBe(3);
    expect(stderr).toContain(`the file is ${is}, neither text nor Parquet`);
    expect(stderr).toContain(remedy);
    expect(stderr).not.toContain('encoding');
  });

  it('and so is a header below other text', async () => {
    const above = 'Export of the register\nall rows, 2030\n\n';
    const path = file('preamble.csv', above + table);
    const { code, stderr } = await suffice('fit', 'y ~ age', path);
    expect([code, stderr]).toEqual([3, expect.stringContaining('names are in line 4')]);
    expect(stderr).toContain('Remove the lines above');
    expect((await suffice('fit', 'y ~ age', file('plain.csv', table))).code).toBe(0);
  });
});

describe('a study that is drafted', () => {
  it('has the columns of "." in the order of the file, whatever becomes of its JSON', async () => {
    const out = join(root, 'dot.json');
    const path = file('order.csv', table.replace('age,dose,ill', 'zinc,age,ill'));
    const formulaOf = async (formula: string) => {
      await suffice('study', 'init', formula, path, '--out', out, '--force');
      return JSON.parse(readFileSync(out, 'utf8')).formula;
    };
    expect(await formulaOf('y ~ .')).toBe('y ~ zinc + age + ill');
    expect(await formulaOf('y ~ .^2')).toBe('y ~ (zinc + age + ill)^2');
  });
});

describe('an error of a command with --json', () => {
  it.each([
    [['fit', 'y ~ agee', north], 2, { kind: 'formula', problem: 'no column "agee"' }],
    [['fit', 'y ~ age', join(root, 'nowhere.csv')], 3, { kind: 'data' }],
    [['fit', 'y ~ age', north, '--rigde', '1'], 2, { kind: 'usage', remedy: /mean --ridge\?/ }],
  ])('%j is one line of JSON on stderr', async (args, exit, told) => {
    const { code, stdout, stderr } = await suffice(...args, '--json');
    expect([code, stdout]).toEqual([exit, '']);
    const { remedy, ...rest } = JSON.parse(stderr);
    const { remedy: wanted = /./, ...others } = told as { remedy?: RegExp };
    expect(rest).toMatchObject({ schema: 'suffice/failure@1', exit, ...others });
    expect(remedy).toMatch(wanted);
  });
});

describe('the command line says what to do', () => {
  it.each([
    [['fit', 'y ~ age', north, '--subset', 'age > 3'], 'rows are not filtered here'],
    [
      ['fit', 'y ~ age', north, '--rigde', '1'],
      'did you mean --ridge? suffice fit --help lists its options',
    ],
    [['fit', 'y ~ age', north, '--zzzzzz'], '(suffice fit --help lists its options)'],
    [['study', 'init'], 'suffice study init --help lists its options'],
    [['fti', 'y ~ age'], 'did you mean fit? suffice --help lists its commands'],
  ])('about %j', async (args, words) => {
    const { code, stderr } = await suffice(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(stderr).not.toContain('--quiet');
  });

  it('when the file with the rows was forgotten', async () => {
    const { key } = createSigningKey();
    const token = `sfi_${'A'.repeat(43)}`;
    const place = { coordinator: 'http://127.0.0.1:1', study: '0123456789abcdef', purpose: 'join' };
    const link = linkText({ ...place, coordinatorKey: key, token } as Parameters<
      typeof linkText
    >[0]);
    const { code, stderr } = await suffice('join', file('north.invitation', `${link}\n`));
    expect([code, stderr]).toEqual([2, expect.stringContaining('your rows was not given')]);
    expect(stderr).not.toContain(token);
  });

  it('of what it has written, and of two tables that mirror each other', async () => {
    const model = join(root, 'model.json');
    const fit = await suffice('fit', 'ill ~ age', north, '--save-model', model);
    expect(fit.stderr).toContain(`the model → ${model}\n`);
    expect(fit.stderr).toContain('--family binomial fits one logistic model');
    const out = join(root, 'model.csv');
    const exported = await suffice('export', model, '--format', 'csv', '--out', out);
    expect(exported.stderr).toContain(`the model as csv → ${out}\n`);
    const quiet = await suffice('fit', 'y ~ age', north, '--save-model', model, '--quiet');
    expect([quiet.code, quiet.stderr]).toEqual([0, '']);
  });
});

describe('a narrow terminal', () => {
  it('has every line of a report within its columns, stars beside their p-value', async () => {
    const { io, printed } = testIo({ env: { NO_COLOR: '1' } });
    const stdout = Object.assign(io.stdout, { isTTY: true, columns: 60 });
    expect(await run(['fit', 'y ~ age + dose + ill', north], { ...io, stdout })).toBe(0);
    const [coefficients] = printed().stdout.split('Signif. codes');
    for (const line of coefficients.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
    expect(coefficients).toContain('97.5 %');
    const blocks = layOutBlocks(
      [
        ['', 'x'],
        ['p', '0.01'],
        ['', '**'],
      ],
      { ...plainInk, width: 8 },
    );
    expect(blocks).toHaveLength(2);
  });
});

describe('texts that a first user stumbled over', () => {
  it('a p-value in a sentence, a time', () => {
    expect([pPhrase(0), pPhrase(0.0123)]).toEqual(['p < 1e-300', 'p = 0.0123']);
    expect(utcText('2030-11-17T13:04:05.678Z')).toBe('2030-11-17 13:04:05 UTC');
    expect(utcText('tomorrow')).toBe('tomorrow');
  });

  it('an acknowledged warning, and the rows that a mean is over', async () => {
    const study = file('study.json', JSON.stringify(recovery));
    const rows = file('north.csv', people(300, 20));
    const home = join(root, 'home');
    const dry = ['contribute', study, rows, '--dry-run', '--home', home];
    const open = await suffice(...dry);
    expect(open.stdout).toContain('before you acknowledge the warnings: --acknowledge R7');
    expect(open.stdout).toContain('over all rows, those left out too');
    const acknowledged = await suffice(...dry, '--acknowledge', 'R7');
    expect(acknowledged.stdout).toContain('You have acknowledged the warnings of R7.');
    expect(acknowledged.stdout).not.toContain('before you acknowledge');
  });
});
