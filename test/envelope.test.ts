import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContribution } from '../src/federate.ts';
import {
  type Contribution,
  contributionLimit,
  encodeContribution,
} from '../src/statistic/envelope.ts';
import { wordsOf } from '../src/statistic/layout.ts';
import { fractionBitsOf, packedIndex } from '../src/statistic/linear-layout.ts';
import { ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import type { TableStudy } from '../src/study/study.ts';
import { cases } from './endurance.ts';
import { type Agreement, agreement, contribution, reduction } from './linear.ts';
import { anyFormula, anyTable, everyRow, studyOf, summaryOf, tableOf } from './tables.ts';

const choices: readonly Partial<TableStudy>[] = [
  { grid: 22 },
  { grid: 44 },
  { grid: 66 },
  { grid: 88 },
  { arithmetic: 'compact' },
];

function decode(agreed: Agreement, bytes: Uint8Array) {
  return readContribution(agreed, bytes);
}

describe('decode ∘ encode is the identity', () => {
  it.each(choices)('%o', (choice) => {
    fc.assert(
      fc.property(
        anyTable(80),
        anyFormula,
        fc.boolean(),
        fc.string(),
        (table, formula, weighted, site) => {
          const agreed = agreement(
            studyOf(table, formula, { ...choice, ...(weighted ? { weights: 'w' } : {}) }),
          );
          const sent = contribution(agreed, site, summaryOf(agreed, table, everyRow(table)));
          const bytes = encodeContribution(sent);
          expect(bytes.length).toBeLessThanOrEqual(contributionLimit(agreed.layout));
          expect(decode(agreed, bytes)).toEqual({ contribution: sent });
          expect(decode(agreed, shifted(bytes))).toEqual({ contribution: sent });
        },
      ),
      { numRuns: cases(50), seed: 20262 },
    );
  });
});

// y = kx meets Cauchy–Schwarz with equality, and float64 sums of a million rows miss it by their rounding.
describe('a long honest file is taken in compact arithmetic too', () => {
  it.each(
    [0.1, 0.7, 3].flatMap((k) => [`y ~ x - 1`, `y ~ x`].map((formula) => [k, formula] as const)),
  )('y = %d x under %s', (k, formula) => {
    const x = Array.from({ length: 100_000 }, (_, r) => 0.5 + ((r * 48271) % 65537) / 131074);
    const rows = tableOf({ y: x.map((v) => v * k), x });
    const study = agreement(studyOf(rows, formula, { arithmetic: 'compact' }));
    const site = reduction(study, { file: 'long.csv', missing: 'drop' });
    const columns = study.columns.map(({ name }) => rows.cells[name]);
    for (let turn = 0; turn < 20; turn++) site.add({ rows: rows.rows, columns }, (r) => r + 1);
    const sent = contribution(study, 'long', site.finish());
    expect(decode(study, encodeContribution(sent))).toEqual({ contribution: sent });
  });
});

/** The same bytes as a view at an odd offset of a larger buffer. */
function shifted(bytes: Uint8Array): Uint8Array {
  const larger = new Uint8Array(bytes.length + 9).fill(0xff);
  larger.set(bytes, 3);
  return larger.subarray(3, 3 + bytes.length);
}

const table = tableOf({ y: [1, 2, 4, 3, 7], x: [0.5, 1.25, 3, 2, 5], z: [3, 1, 4, 1, 5] });
const agreed = agreement(studyOf(table, 'y ~ x + z'));
const honest = contribution(agreed, 'north', summaryOf(agreed, table, everyRow(table)));
const file = encodeContribution(honest);
const headerEnd = 8 + Number(new DataView(file.buffer).getBigUint64(0, true));

interface Header {
  __metadata__: Record<string, unknown>;
  statistic: Record<string, unknown>;
  [other: string]: unknown;
}

/** The honest file under another header text. */
function withHeaderText(text: string, data: Uint8Array = file.subarray(headerEnd)): Uint8Array {
  const json = new TextEncoder().encode(text);
  const bytes = new Uint8Array(8 + json.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  bytes.set(data, 8 + json.length);
  return bytes;
}

/** The honest file with its header changed. */
function withHeader(change: (header: Header) => void): Uint8Array {
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, headerEnd)));
  change(header);
  return withHeaderText(JSON.stringify(header));
}

function withLength(length: bigint): Uint8Array {
  const bytes = file.slice();
  new DataView(bytes.buffer).setBigUint64(0, length, true);
  return bytes;
}

/** The honest statistic with one entry replaced. */
function withEntry(
  i: number,
  j: number,
  change: (value: bigint, one: bigint) => bigint,
): Uint8Array {
  const { layout } = agreed;
  const values = honest.statistic.values.slice();
  const at = packedIndex(layout.columns.length, i, j);
  const one = 1n << BigInt(fractionBitsOf(layout));
  setRingEntry(values, wordsOf(layout), at, change(ringEntry(values, wordsOf(layout), at), one));
  return encodeContribution({ ...honest, statistic: { layout, values } });
}

function withSegment(part: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(file.length + part.length);
  bytes.set(file);
  bytes.set(part, file.length);
  return bytes;
}

describe('what no site could have sent is refused, and says why', () => {
  const length = file.length - headerEnd;
  const metadata = (key: string, value: unknown) =>
    withHeader((header) => {
      header.__metadata__[key] = value;
    });
  const tensor = (key: string, value: unknown) =>
    withHeader((header) => {
      header.statistic[key] = value;
    });
  it('but the honest file is taken, under any spelling of its header', () => {
    expect(decode(agreed, file)).toEqual({ contribution: honest });
    expect(
      decode(
        agreed,
        withHeader(() => {}),
      ),
    ).toEqual({ contribution: honest });
  });

  it.each<readonly [string, Uint8Array, RegExp]>([
    ['no bytes', new Uint8Array(0), /too short/],
    ['seven bytes', file.subarray(0, 7), /too short/],
    ['a header longer than the file', withLength(BigInt(file.length)), /past the end/],
    ['a header beyond the limit', withLength(65537n), /at most 65536/],
    ['a header of 2⁶⁴ − 1 bytes', withLength(2n ** 64n - 1n), /at most 65536/],
    ['an empty header', withLength(0n), /not JSON/],
    ['a header that is not JSON', withHeaderText('{"__metadata__": '), /not JSON/],
    ['a header that is not UTF-8', withHeaderText('{}').fill(0xff, 8, 10), /not JSON/],
    ['a header that is a list', withHeaderText('[]'), /not a JSON object/],
    ['a header that is null', withHeaderText('null'), /not a JSON object/],
    ['no tensor', withHeaderText('{"__metadata__":{}}'), /one tensor/],
    [
      'a second tensor',
      withHeader((header) => {
        header.more = header.statistic;
      }),
      /one tensor/,
    ],
    ['metadata that is text', withHeaderText('{"__metadata__":"x","statistic":{}}'), /objects/],
    ['another schema', metadata('schema', 'suffice/contribution@2'), /schema/],
    ['another study', metadata('study', `sha256:${'0'.repeat(64)}`), /another study/],
    ['a site that is a number', metadata('site', 7), /strings/],
    ['no site', metadata('site', undefined), /strings/],
    ['metadata that nobody knows', metadata('note', 'hidden'), /nothing but schema/],
    ['a long unknown text', metadata('x', 'y'.repeat(60_000)), /nothing but schema/],
    ['a key that nobody knows in the tensor', tensor('note', 'hidden'), /nothing but dtype/],
    [
      'a header of blanks',
      withHeaderText(new TextDecoder().decode(file.subarray(8, headerEnd)) + ' '.repeat(4200)),
      /more than 4096 bytes of padding/,
    ],
    ['other arithmetic', metadata('arithmetic', 'compact'), /arithmetic/],
    ['another grid', metadata('grid', '66'), /grid/],
    ['another dtype', tensor('dtype', 'F64'), /dtype/],
    ['a dtype that is a number', tensor('dtype', 64), /dtype/],
    ['another shape', tensor('shape', [10, 4]), /shape/],
    ['a transposed shape', tensor('shape', [2, 10]), /shape/],
    ['a flat shape', tensor('shape', [20]), /shape/],
    ['a negative shape', tensor('shape', [-10, -2]), /shape/],
    ['a fractional shape', tensor('shape', [10.5, 2]), /shape/],
    ['a gap before the tensor', tensor('data_offsets', [8, length + 8]), /data_offsets/],
    ['a tensor cut short', tensor('data_offsets', [0, length - 16]), /data_offsets/],
    ['offsets in reverse', tensor('data_offsets', [length, 0]), /data_offsets/],
    ['offsets that are text', tensor('data_offsets', ['0', String(length)]), /data_offsets/],
    ['trailing bytes', withSegment(new Uint8Array(1)), /bytes of data/],
    ['another tensor behind', withSegment(new Uint8Array(length)), /bytes of data/],
    ['missing bytes', file.subarray(0, file.length - 1), /bytes of data/],
    ['no data', file.subarray(0, headerEnd), /bytes of data/],
    ['a fractional n', withEntry(0, 0, (n) => n + 1n), /whole number/],
    ['half a row', withEntry(0, 0, (n, one) => n - one / 2n), /whole number/],
    ['a negative n', withEntry(0, 0, (n) => -n), /whole number/],
    ['a negative square', withEntry(1, 1, (v) => -v), /square of x is negative/],
    ['a square beyond n', withEntry(2, 2, (_, one) => 5n * one + 1n), /square of z exceeds/],
    [
      'a square beyond n, the response',
      withEntry(3, 3, (_, one) => 6n * one),
      /square of y exceeds/,
    ],
    [
      'a sum beyond Cauchy–Schwarz',
      withEntry(0, 1, (_, one) => 5n * one),
      /\(Intercept\) × x breaks/,
    ],
    ['a product beyond Cauchy–Schwarz', withEntry(1, 3, (v) => 2n * v), /x × y breaks/],
    [
      'a negative product beyond Cauchy–Schwarz',
      withEntry(1, 2, (_, one) => -5n * one),
      /x × z breaks/,
    ],
    ['rows without their squares', withEntry(1, 1, () => 0n), /breaks Cauchy–Schwarz/],
  ])('%s', (_, bytes, reason) => {
    const decoded = decode(agreed, bytes);
    expect(decoded).not.toHaveProperty('contribution');
    expect(decoded).toEqual({ refused: expect.stringMatching(reason) });
  });

  it('Cauchy–Schwarz is met to the last bit: two equal columns pass, one unit more does not', () => {
    const twins = tableOf({ y: [1, 2, 4], x: [0.3, 0.7, 0.9], z: [0.3, 0.7, 0.9] });
    const study = agreement(studyOf(twins, 'y ~ x + z'));
    const { layout } = study;
    const sent = contribution(study, 'twins', summaryOf(study, twins, everyRow(twins)));
    expect(decode(study, encodeContribution(sent))).toEqual({ contribution: sent });
    const values = sent.statistic.values.slice();
    const at = packedIndex(layout.columns.length, 1, 2);
    setRingEntry(values, wordsOf(layout), at, ringEntry(values, wordsOf(layout), at) + 1n);
    const raised: Contribution = { ...sent, statistic: { layout, values } };
    expect(decode(study, encodeContribution(raised))).toEqual({
      refused: 'x × z breaks Cauchy–Schwarz',
    });
  });
});

describe('damaged bytes are refused or read, never thrown over', () => {
  const flip = fc.tuple(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }));
  it.each<readonly [string, fc.Arbitrary<Uint8Array>]>([
    [
      'flipped bits',
      fc.array(flip, { minLength: 1, maxLength: 8 }).map((flips) => {
        const bytes = file.slice();
        for (const [at, mask] of flips) bytes[at] ^= mask;
        return bytes;
      }),
    ],
    ['cut short', fc.nat(file.length - 1).map((length) => file.slice(0, length))],
    ['noise', fc.uint8Array({ maxLength: 600 })],
    ['any JSON for a header', fc.json().map((text) => withHeaderText(text))],
    [
      'any JSON in the header',
      fc
        .tuple(fc.constantFrom('dtype', 'shape', 'data_offsets'), fc.jsonValue())
        .map(([key, value]) =>
          withHeader((header) => {
            header.statistic[key] = value;
          }),
        ),
    ],
  ])('%s', (_, damaged) => {
    fc.assert(
      fc.property(damaged, (bytes) => {
        const decoded = decode(agreed, bytes);
        expect(Object.keys(decoded)).toHaveLength(1);
        if ('contribution' in decoded) {
          expect(decoded.contribution.study).toBe(agreed.digest);
          expect(decoded.contribution.statistic.values).toHaveLength(
            honest.statistic.values.length,
          );
        }
      }),
      { numRuns: cases(500), seed: 20263 },
    );
  });
});
