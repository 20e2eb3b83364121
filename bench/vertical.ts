import { useSodiumRistretto255 } from '../src/cipher/sodium-ristretto255.ts';
import { agreement, totalDigest } from '../src/federate.ts';
import { useNativeCrypto } from '../src/node/compute/native-crypto.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { federate } from '../src/rows/federate-rows.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { TableStudy } from '../src/study/study.ts';
import { exchangeHere } from '../src/vertical/exchange-here.ts';
import { rowsInMemory } from '../src/vertical/federate-parties.ts';
import { dealProducts, leftShare, shiftedColumns } from '../src/vertical/pair-products.ts';
import { ringColumn } from '../src/vertical/ring-column.ts';
import { verticalStudy } from '../src/vertical/vertical-study.ts';
import type { Bench, Section } from './section.ts';
import { type Line, secondsText } from './table.ts';

/** Two parties with different columns of the same people. */
export const vertical: Section = {
  name: 'vertical',
  title:
    'Columns at two parties: 100,000 people, 20 columns each, nine tenths of the people in common',
  run,
};

const COLUMNS = 20;

async function run({ quick, rows = quick ? 2000 : 100_000, note }: Bench): Promise<Line[]> {
  useNativeCrypto();
  const left = Array.from({ length: COLUMNS }, (_, k) => `a${k}`);
  const right = Array.from({ length: COLUMNS }, (_, k) => `b${k}`);
  const study = studyOf(left, right);
  const split = verticalStudy(agreement(study));
  const words = seededWords(1);
  const column = () => Float64Array.from({ length: rows }, () => words() / 2 ** 32);
  const table = new Map([...left, ...right].map((name) => [name, column()]));
  const id = Array.from({ length: rows }, (_, r) => `person ${r}`);
  const part = (names: readonly string[], keep: (r: number) => boolean) => {
    const kept = id.flatMap((_, r) => (keep(r) ? [r] : []));
    const columns = names.map((name) => [name, kept.map((r) => table.get(name)![r])]);
    return { ...Object.fromEntries(columns), id: kept.map((r) => id[r]) };
  };
  const isCommon = (r: number) => r % 20 !== 3 && r % 20 !== 7;
  const joined = federate(study, { all: part([...left, ...right], isCommon) });
  /** Links and adds; the total must be that of the joined table. */
  const exchanged = (one: TableStudy) => {
    const its = verticalStudy(agreement(one));
    const [a, b] = [part(left, (r) => r % 20 !== 3), part(right, (r) => r % 20 !== 7)];
    const parties = new Map([
      ['a', rowsInMemory(its, 'a', a)],
      ['b', rowsInMemory(its, 'b', b)],
    ]);
    const started = performance.now();
    const found = exchangeHere(its, parties);
    const milliseconds = performance.now() - started;
    const digests = [found.collected.total, joined.total!].map((total) =>
      totalDigest(split.agreed, total),
    );
    if (digests[0] !== digests[1]) throw new Error('the total is not that of the joined table');
    return { ...found, milliseconds };
  };
  const { people, parties: sent, milliseconds: all } = exchanged(study);
  note('by tokens: the total has the digest of the joined table');
  await useSodiumRistretto255();
  const byPoints = exchanged(linkedByPoints(study));
  note('by points: the same total');
  const [ring] = split.ringsOf(people);
  const seeds = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)] as const;
  const dealing = timed(() => dealProducts(ring, ...seeds));
  const values = ring.leftWidths.map((width, k) =>
    ringColumn(
      table
        .get(left[k % COLUMNS])!
        .subarray(0, people)
        .map((v) => Math.round(v * 2 ** 44)),
      width,
    ),
  );
  let shifted = new Uint8Array();
  const masking = timed(() => {
    shifted = new Uint8Array(shiftedColumns(ring, 'left', values, seeds[0]));
  });
  const other = shiftedColumns(
    ring,
    'right',
    ring.rightWidths.map((width) => ({ width, bytes: new Uint8Array(width * people) })),
    seeds[1],
  );
  const pad = new Array<bigint>(ring.leftColumns.length * ring.rightColumns.length).fill(0n);
  const sharing = timed(() => leftShare(ring, { seed: seeds[0] }, other, pad));
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return [
    line('everything: two parties and the helper in one process', all, `${people} people linked`),
    line(
      'the same, linked by points',
      byPoints.milliseconds,
      `${byPoints.people} people linked, the same total`,
    ),
    line(
      'the helper deals for the pair',
      dealing,
      `${ring.leftColumns.length} × ${ring.rightColumns.length} products in rings of ${Math.max(...ring.leftWidths)} bytes`,
    ),
    line('a party masks its columns', masking, `${megabytes(shifted.length)} to the other party`),
    line('a party makes its share', sharing, ''),
    line(
      'a party sends',
      undefined,
      sent.map(({ name, bytes }) => `${name} ${megabytes(bytes)} with tokens`).join(', '),
    ),
    line(
      'the same, linked by points',
      undefined,
      byPoints.parties.map(({ name, bytes }) => `${name} ${megabytes(bytes)}`).join(', '),
    ),
  ];
}

function studyOf(left: readonly string[], right: readonly string[]): TableStudy {
  const number = { type: 'number', range: [0, 1] } as const;
  const codebook: Codebook = Object.fromEntries([...left, ...right].map((name) => [name, number]));
  const [response, ...others] = right;
  return {
    schema: 'suffice/study@1',
    formula: `${response} ~ ${[...left, ...others].join(' + ')}`,
    codebook,
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    partition: { kind: 'vertical', key: ['id'], parties: { a: left, b: right } },
  };
}

function linkedByPoints(study: TableStudy): TableStudy {
  return { ...study, partition: { ...study.partition!, linkage: 'ecdh' } };
}

function line(what: string, ms: number | undefined, note: string): Line {
  const time = ms === undefined ? [] : [secondsText(ms / 1000)];
  return { what, ours: [...time, ...(note === '' ? [] : [note])].join(', ') };
}

function timed(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}
