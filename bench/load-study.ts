import { type Agreement, reduction } from '../src/federate.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { wordsOf } from '../src/statistic/layout.ts';
import { ringAddInto } from '../src/statistic/ring.ts';
import type { Statistic } from '../src/statistic/statistic.ts';
import type { TableStudy } from '../src/study/study.ts';

const BLOCKS = 64;
const BLOCK_ROWS = 40;

/** A study of this many numbers and a response. */
export function wideStudy(name: string, width: number): TableStudy {
  const columns = Array.from({ length: width }, (_, j) => `x${j + 1}`);
  const range = { type: 'number', range: [0, 1] } as const;
  return {
    schema: 'suffice/study@1',
    name,
    formula: `y ~ ${columns.join(' + ')}`,
    codebook: Object.fromEntries(['y', ...columns].map((column) => [column, range])),
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
  };
}

/** The statistic of site k: three of 64 blocks of 40 rows, a different choice for each site. */
export function siteStatistics(agreed: Agreement): (site: number) => Statistic {
  const blocks = Array.from({ length: BLOCKS }, (_, k) => blockStatistic(agreed, k));
  const choices: (readonly number[])[] = [];
  for (let a = 0; a < BLOCKS; a++) {
    for (let b = 0; b < a; b++) for (let c = 0; c < b; c++) choices.push([a, b, c]);
  }
  const { layout } = agreed;
  return (site) => {
    const values = new Uint32Array(blocks[0]!.values.length);
    for (const k of choices[site % choices.length]!)
      ringAddInto(values, blocks[k]!.values, wordsOf(layout));
    return { layout, values };
  };
}

const kernels = createKernels();

function blockStatistic(agreed: Agreement, block: number): Statistic {
  return kernels.scoped(() => {
    const site = reduction(agreed, { file: 'rows', missing: 'drop', kernels, fewRows: true });
    const columns = agreed.columns.map((_, j) =>
      Float64Array.from({ length: BLOCK_ROWS }, (_, r) => cell(block * BLOCK_ROWS + r, j)),
    );
    site.add({ rows: BLOCK_ROWS, columns }, (r) => r + 1);
    return site.finish().statistic;
  });
}

/** Six digits between 0 and 1 that look random (a hash of row and column). */
function cell(row: number, column: number): number {
  let h = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(column + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 13), 0x297a2d39);
  return (((h ^ (h >>> 16)) >>> 0) % 1_000_001) / 1_000_000;
}
