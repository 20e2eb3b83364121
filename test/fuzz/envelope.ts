import { readContribution } from '../../src/federate.ts';
// Fuzzes the contribution reader:  npx tsx test/fuzz/envelope.ts [minutes] [seed]
// Mutates honest contributions (bytes, header JSON, whole entries) and checks that the reader never throws, that
// what it accepts has the right shape and is a matrix with a non-negative diagonal, and that re-encoding it is stable.

import { decodeContribution, encodeContribution } from '../../src/statistic/envelope.ts';
import { entriesOf, wordsOf } from '../../src/statistic/layout.ts';
import type { Study } from '../../src/study/study.ts';
import { inMemoryBlock } from '../../src/table/in-memory.ts';
import { agreement, contribution, reduction } from '../linear.ts';

const minutes = Number(process.argv[2] ?? 1);
let state = Number(process.argv[3] ?? 1) >>> 0;
const random = (below: number) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const pick = <T>(items: readonly T[]): T => items[random(items.length)];

const choices: Partial<Study>[] = [
  { grid: 44 },
  { grid: 88 },
  { arithmetic: 'compact' },
  { grid: 44, weights: 'w' },
];
const honest = choices.map((choice) => {
  const agreed = agreement({
    schema: 'suffice/study@1',
    formula: 'y ~ x + g',
    codebook: {
      y: { type: 'number', range: [-10, 10] },
      x: { type: 'number', range: [0, 1] },
      g: { type: 'category', levels: ['a', 'b', 'c'] },
      w: { type: 'number', range: [0, 4] },
    },
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    ...choice,
  });
  const site = reduction(agreed, { file: 'fuzz', missing: 'drop' });
  const rows = 50;
  const columns = {
    y: Array.from({ length: rows }, () => random(2000) / 100 - 10),
    x: Array.from({ length: rows }, () => random(1000) / 1000),
    g: Array.from({ length: rows }, () => pick(['a', 'b', 'c'])),
    w: Array.from({ length: rows }, () => random(400) / 100 + 0.01),
  };
  site.add(inMemoryBlock(agreed.columns, columns), (r) => r + 1);
  return { agreed, file: encodeContribution(contribution(agreed, 'site', site.finish())) };
});

const jsonBits = [
  'null',
  '-1',
  '1e999',
  '[]',
  '{}',
  '"U64"',
  '"F64"',
  '[0]',
  '[0,0]',
  '{"a":',
  '\u0000',
  '9'.repeat(400),
];

function mutate(file: Uint8Array): Uint8Array {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const kind = random(6);
  if (kind === 0) {
    const copy = file.slice();
    for (let k = random(8); k >= 0; k--) copy[random(copy.length)] = random(256);
    return copy;
  }
  if (kind === 1) return file.slice(0, random(file.length + 1));
  if (kind === 2) {
    const copy = new Uint8Array(file.length + random(40));
    copy.set(file);
    return copy;
  }
  if (kind === 3) {
    const copy = file.slice();
    for (
      let k = 8 + length + 8 * random((file.length - 8 - length) / 8);
      k < copy.length && random(4) > 0;
      k++
    ) {
      copy[k] = pick([0, 255, 128, 1]);
    }
    return copy;
  }
  if (kind === 4) {
    const copy = file.slice();
    new DataView(copy.buffer).setBigUint64(
      0,
      BigInt(pick([0, 1, length - 1, length + 8, 65536, 65537, 2 ** 52])),
      true,
    );
    return copy;
  }
  const text = new TextDecoder().decode(file.subarray(8, 8 + length)).trimEnd();
  const cut = random(text.length);
  const header = new TextEncoder().encode(
    text.slice(0, cut) + pick(jsonBits) + text.slice(cut + random(12)),
  );
  const copy = new Uint8Array(8 + header.length + file.length - 8 - length);
  new DataView(copy.buffer).setBigUint64(0, BigInt(header.length), true);
  copy.set(header, 8);
  copy.set(file.subarray(8 + length), 8 + header.length);
  return copy;
}

const end = Date.now() + minutes * 60_000;
let tried = 0;
let accepted = 0;
while (Date.now() < end) {
  const { agreed, file } = pick(honest);
  let bytes = mutate(file);
  if (random(3) === 0 && bytes.length >= 8) {
    try {
      bytes = mutate(bytes);
    } catch {
      continue; // the first mutation left nothing to take apart
    }
  }
  tried++;
  const outcome = readContribution(agreed, bytes);
  if ('refused' in outcome) continue;
  accepted++;
  const { statistic } = outcome.contribution;
  if (statistic.values.length !== entriesOf(agreed.layout) * wordsOf(agreed.layout))
    throw new Error('wrong shape accepted');
  const again = decodeContribution(
    encodeContribution(outcome.contribution),
    agreed.digest,
    agreed.layout,
  );
  if (!('contribution' in again)) throw new Error(`accepted, then refused: ${again.refused}`);
}
process.stdout.write(`${tried} mutated contributions, ${accepted} accepted, none misread\n`);
