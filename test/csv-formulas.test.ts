import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csvText } from '../src/text/csv-text.ts';
import { suffice, temporaryFolder } from './cli.ts';

const folder = temporaryFolder();

describe('a text in a CSV file that a spreadsheet would run', () => {
  it.each([
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['-2+3+cmd|x', "'-2+3+cmd|x"],
    ['+1-1', "'+1-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
  ])('%j gets an apostrophe', (text, cell) => {
    expect(csvText(text)).toBe(cell);
  });

  it.each(['-1', '+1.5e-3', '.5', '', 'a=b', '(Intercept)', "'=x", '<5', 'x - y'])(
    '%j stays as it is',
    (text) => {
      expect(csvText(text)).toBe(text);
    },
  );

  it('runs in no file of predictions or coefficients', async () => {
    const levels = ['=HYPERLINK(1)', '-2+3+cmd|x', '-1'];
    const rows = Array.from({ length: 90 }, (_, k) => [(k * 7) % 31, k % 13, levels[k % 3]].join());
    const table = join(folder, 'table.csv');
    const model = join(folder, 'model.json');
    writeFileSync(table, `x,=z,g\n${rows.join('\n')}\n`);
    const fit = await suffice('fit', 'g ~ x + `=z`', table, '--save-model', model);
    expect(fit.code, fit.stderr).toBe(0);
    const alone = await suffice('predict', model, table);
    const beside = await suffice('predict', model, table, '--append');
    const tidy = await suffice('export', model, '--format', 'csv');
    expect([alone.code, beside.code, tidy.code]).toEqual([0, 0, 0]);
    for (const { stdout } of [alone, tidy]) {
      const cells = stdout.split(/\r?\n/).flatMap((line) => line.split(','));
      expect(cells.filter((cell) => /^"?[=+@\t\r]|^"?-(?!\d)|^"?-\d.*[^\d.e-]/.test(cell))).toEqual(
        [],
      );
    }
    const classes = new Set(
      alone.stdout
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',').find((cell) => /HYPER|cmd|^-1$/.test(cell))),
    );
    expect(
      [...classes].every(
        (cell) => cell === undefined || ["'=HYPERLINK(1)", "'-2+3+cmd|x", '-1'].includes(cell),
      ),
    ).toBe(true);
    // A file of one's own comes back with its own header and cells.
    expect(beside.stdout.split('\n')[0]).toMatch(/^x,=z,g,/);
  });
});
