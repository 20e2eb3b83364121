import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tagsInOrder } from '../src/disclosure/row-tags.ts';
import { agreement } from '../src/federate.ts';
import { createPool } from '../src/node/compute/pool.ts';
import { openSite, reduceSite } from '../src/site/site-table.ts';
import { taggedFile } from '../src/site/tagged-file.ts';
import type { Column } from '../src/study/codebook.ts';
import { temporaryFolder } from './cli.ts';
import { exactStudy } from './releasing-site.ts';
import { testTagKey } from './tags-of.ts';

const root = temporaryFolder();
const pool = createPool(1);
const quiet = () => ({ update() {}, done() {} });
afterAll(() => pool.close());

const days = { type: 'number', unit: 'days since 1970-01-01', range: [0, 40000] } as const;
const category = (...levels: string[]): Column => ({ type: 'category', levels });

/** Columns as files write them: what the codebook says, and six cells. */
const written: readonly (readonly [string, Column, readonly string[]])[] = [
  ['plain numbers', { type: 'number', range: [0, 9] }, ['1', '2.5', '3e0', ' 4', '05', '-0']],
  ['a decimal comma', { type: 'number', range: [0, 9] }, ['1,5', '2,25', '3', '4,1', '5', '6,7']],
  [
    'thousands',
    { type: 'number', range: [0, 1e7] },
    ['1,234.5', '2,000,000', '3', '41,000.0', '5', '6'],
  ],
  [
    'percentages',
    { type: 'number', unit: '%', range: [0, 99] },
    ['1%', '2.5%', '3 %', '4', '5%', '6%'],
  ],
  [
    'amounts',
    { type: 'number', unit: '$', range: [0, 99] },
    ['$1', '$2.5', '$3', '$4', '$5', '$6'],
  ],
  [
    'dates',
    days,
    ['2024-01-31', '2024-02-01', '2020-02-29', '2024-05-01', '2024-06-01', '1999-12-31'],
  ],
  [
    'days first',
    days,
    ['31/01/2024', '01/02/2024', '29/02/2020', '1/5/2024', '01/06/2024', '31/12/1999'],
  ],
  [
    'logical words as numbers',
    { type: 'number', range: [0, 1] },
    ['TRUE', 'false', '1', '0', 'True', 'FALSE'],
  ],
  ['logical words', category('FALSE', 'TRUE'), ['TRUE', 'false', '1', '0', 'True', 'FALSE']],
  ['blanks around levels', category('a', 'b'), ['a', ' b', 'b ', 'a', ' a ', 'b']],
  ['numbers as levels', category('1', '2.5'), ['1', '1.0', '2.50', '2.5', ' 1', '2.5']],
  [
    'dates as levels',
    category('2024-01-31', '2024-02-01'),
    ['2024-01-31', '2024-02-01', '2024-02-01', '2024-01-31', '2024-01-31', '2024-02-01'],
  ],
  ['shares as levels', category('5%', '10%'), ['5%', '10%', '5%', '10%', '10%', '5%']],
];

/** The tags of the reduction, and the rows as the ledger compares them with these tags and without. */
async function taggedTwice(name: string, column: Column, cells: readonly string[]) {
  const study = exactStudy('y ~ x', { y: { type: 'number', range: [0, 9] }, x: column });
  const agreed = agreement(study);
  const path = join(root, `${name.replaceAll(' ', '-')}.csv`);
  writeFileSync(path, `x;y\n${cells.map((cell, r) => `${cell};${r}\n`).join('')}`);
  const choices = { missing: 'refuse', tagKey: testTagKey } as const;
  const source = await openSite(study, { path }, choices, pool);
  const { inspection } = await reduceSite(agreed, 'north', { source }, choices, pool, quiet);
  const { used } = inspection;
  const tagged = (tags?: readonly BigUint64Array[]) =>
    taggedFile(agreed, source, { used, ...(tags && { tags }) }, [], testTagKey, pool, quiet);
  const { tags } = inspection;
  return { tags, first: (await tagged(tags)).own, second: (await tagged()).own };
}

describe('tags made while a file is reduced are those of a second reading', () => {
  it.each(written)('for %s', async (...one) => {
    const { tags, first, second } = await taggedTwice(...one);
    expect(tagsInOrder(tags!)).toHaveLength(one[2].length);
    expect(first).toEqual(second);
  });

  const thousands = ['1,234', '2,345', '3,456', '4,567', '5,678', '6,789'];
  it.each(['.', ','] as const)(
    'for numbers that only a stated "%s" makes clear',
    async (decimal) => {
      const column: Column = { type: 'number', decimal, range: [0, 9000] };
      const { first, second } = await taggedTwice(`stated${decimal}`, column, thousands);
      expect(first).toEqual(second);
    },
  );
});
