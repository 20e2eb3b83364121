import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { productBytes } from '../src/aggregation/split-ring.ts';
import { FailureError } from '../src/failure.ts';
import { agreement, totalDigest } from '../src/federate.ts';
import { gridValue } from '../src/numeric/exact-gram.ts';
import { federate } from '../src/rows/federate-rows.ts';
import { prepareJoin } from '../src/site/join.ts';
import type { TableStudy } from '../src/study/study.ts';
import { federateParties, rowsInMemory } from '../src/vertical/federate-parties.ts';
import { gridColumns } from '../src/vertical/party-rows.ts';
import {
  type RingColumn,
  ringColumn,
  ringDifference,
  unsigned,
} from '../src/vertical/ring-column.ts';
import { ringProducts } from '../src/vertical/ring-products.ts';
import { partyModel, verticalStudy } from '../src/vertical/vertical-study.ts';
import { hasSharedData } from './shared-data.ts';
import { heartParts, heartStudy, heartTables } from './vertical-heart.ts';

const digestOf = (study: TableStudy, total: Parameters<typeof totalDigest>[1]) =>
  totalDigest(agreement(study), total);

describe.skipIf(!hasSharedData)('heart data at two parties', () => {
  const { joined, hospital, registry } = heartTables();

  it('has the digest of the joined table, though a tenth of the people are at one party only', () => {
    const whole = federate(heartStudy, { all: joined });
    const split = federateParties(heartStudy, { hospital, registry });
    expect(split.people).toBe(joined.age.length);
    expect(split.people).toBeLessThan(hospital.age.length);
    expect(digestOf(heartStudy, split.total)).toBe(digestOf(heartStudy, whole.total!));
    expect(split.report.terms).toEqual(whole.report.terms);
  });

  it('leaves out a person whose row is incomplete at one party only', () => {
    const thalach = registry.thalach.map((cell, r) => (r % 20 === 0 ? '?' : cell));
    const gone = new Set(registry.nhs_number.filter((_, r) => r % 20 === 0));
    const kept = Object.fromEntries(
      Object.entries(joined).map(([name, cells]) => [
        name,
        cells.filter((_, r) => !gone.has(joined.nhs_number[r])),
      ]),
    );
    const split = federateParties(heartStudy, { hospital, registry: { ...registry, thalach } });
    const whole = federate(heartStudy, { all: kept });
    expect(split.people).toBeLessThan(joined.age.length);
    expect(digestOf(heartStudy, split.total)).toBe(digestOf(heartStudy, whole.total!));
  });

  it('has it at three parties, on a grid of 22 bits, without an intercept', () => {
    const parties = { ...heartParts, registry: ['cp', 'num'], laboratory: ['thalach', 'oldpeak'] };
    const study: TableStudy = {
      ...heartStudy,
      formula: 'num ~ age + factor(sex) + I(cp == 4) + thalach + oldpeak - 1',
      grid: 22,
      partition: { kind: 'vertical', key: [['nhs_number']], parties },
    };
    const split = federateParties(study, { hospital, registry, laboratory: registry });
    const whole = federate(study, { all: joined });
    expect(digestOf(study, split.total)).toBe(digestOf(study, whole.total!));
  });

  it('applies the disclosure rules to the joined sums: a small cell of two parties’ columns', () => {
    const study = { ...heartStudy, formula: 'num ~ age + factor(sex) + factor(cp)' };
    const attempt = () => federateParties(study, { hospital, registry });
    expect(attempt).toThrow(/R4 \(no small cell of two columns\)/);
  });

  it('multiplies the integers that the exact sums are made of', () => {
    const study = verticalStudy(agreement(heartStudy));
    const part = partyModel(study, 'hospital');
    const rows = rowsInMemory(study, 'hospital', hospital);
    const order = Uint32Array.from({ length: 50 }, (_, k) => 3 * k);
    const { values } = gridColumns(part, rows, order, (place) => study.columns[place].shift);
    const age = part.layout.columns.indexOf('age');
    const column = { hi: rows.block.columns[part.design.variables.indexOf('age')] };
    const found = values.get(part.places[age])!;
    order.forEach((row, k) => {
      const expected = gridValue({ ...column, ...part.layout.references[age] }, row, 2);
      expect(BigInt(found[k])).toBe(expected);
    });
    const sex = part.places[part.layout.columns.indexOf('factor(sex)1')];
    expect(new Set(values.get(sex))).toEqual(new Set([0, 1]));
  });
});

describe('a study with a partition is refused, by name,', () => {
  const refusal = (change: object) => {
    try {
      agreement({ ...heartStudy, ...change } as TableStudy);
    } catch (error) {
      return error instanceof FailureError ? `${error.problem} → ${error.remedy}` : error;
    }
    return 'accepted';
  };
  it.each([
    [
      'an interaction across parties',
      { formula: 'num ~ age:thalach' },
      /age:thalach needs columns of several parties \(age, thalach at hospital, registry\)/,
    ],
    ['a term of two parties’ columns', { formula: 'num ~ I(age * cp) + chol' }, /several parties/],
    ['an idle party', { formula: 'num ~ thalach' }, /uses no column of hospital/],
    [
      'a column without a party',
      { partition: { kind: 'vertical', key: ['i'], parties: { a: ['age'], b: ['num'] } } },
      /no party of the partition has this column/,
    ],
    [
      'a column at two parties',
      { partition: { kind: 'vertical', key: ['i'], parties: { a: ['age', 'num'], b: ['num'] } } },
      /both a and b have the column num/,
    ],
    ['weights', { weights: 'age' }, /a weight multiplies the columns of every party/],
    ['privacy', { privacy: { epsilon: 1, delta: 1e-6, unit: 'row' } }, /the study is private/],
    [
      'a logistic regression',
      { formula: 'I(num > 0) ~ age', fusion: { kind: 'glm', family: 'binomial' } },
      /whole rows at one place/,
    ],
    ['a finer grid', { grid: 88 }, /22 or 44 bits/],
    ['compact arithmetic', { arithmetic: 'compact' }, /arithmetic is exact/],
    [
      'another aggregation',
      { aggregation: { kind: 'pairwise-masks', roster: {} } },
      /two ways to add/,
    ],
    [
      'a feature map',
      { features: [{ kind: 'projection', dimension: 2, seed: 1 }] },
      /feature map mixes the columns/,
    ],
  ])('with %s', (_, change, message) => {
    expect(refusal(change)).toMatch(message);
  });
});

it('rows alone make no contribution to such a study', async () => {
  const membership = { agreed: agreement(heartStudy), site: 'hospital', coordinatorKey: '' };
  const attempt = prepareJoin(
    { rows: { path: 'a.csv' }, missing: 'drop' },
    membership as never,
    {} as never,
    {} as never,
    {} as never,
  );
  await expect(attempt).rejects.toMatchObject({
    message: expect.stringContaining('link their rows before they contribute'),
    remedy: expect.stringContaining('join with the invitation'),
  });
});

describe('columns of integers modulo 2^(8·width)', () => {
  const whole = fc.integer({ min: -(2 ** 44), max: 2 ** 44 });
  const value = ({ width, bytes }: RingColumn, r: number) =>
    unsigned(bytes.subarray(r * width, (r + 1) * width));

  it('hold whole numbers in two’s complement, and subtract', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(whole, whole), { minLength: 1 }),
        fc.integer({ min: 1, max: 16 }),
        (pairs, width) => {
          const a = ringColumn(
            Float64Array.from(pairs, ([x]) => x),
            width,
          );
          const b = ringColumn(
            Float64Array.from(pairs, ([, y]) => y),
            width,
          );
          const difference = ringDifference(a, b);
          pairs.forEach(([x, y], r) => {
            expect(value(a, r)).toBe(BigInt.asUintN(8 * width, BigInt(x)));
            expect(value(difference, r)).toBe(BigInt.asUintN(8 * width, BigInt(x) - BigInt(y)));
          });
        },
      ),
    );
  });

  it('multiply as integers do, over blocks of any length', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 255 })),
        (rows, left, right, stream) => {
          const column = (width: number): RingColumn => ({
            width,
            bytes: Uint8Array.from({ length: rows * width }, () => stream.next().value),
          });
          const a = [column(left), { width: left, bytes: new Uint8Array(rows * left).fill(255) }];
          const b = [
            column(right),
            { width: right, bytes: new Uint8Array(rows * right).fill(255) },
          ];
          const width = Math.min(left, right);
          const found = ringProducts(a, b, () => width);
          a.forEach((x, i) => {
            b.forEach((y, j) => {
              let sum = 0n;
              for (let r = 0; r < rows; r++) sum += value(x, r) * value(y, r);
              expect(found[2 * i + j]).toBe(BigInt.asUintN(8 * width, sum));
            });
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  it('are wide enough for the largest sum of either sign, and one bit less would not be', () => {
    const bound = { bits: 0 };
    for (const rows of [1, 3, 4, 127, 128, 255, 256, 32767, 32768]) {
      const bytes = productBytes(rows, bound, bound);
      expect(BigInt.asIntN(8 * bytes, BigInt(rows))).toBe(BigInt(rows));
      expect(BigInt.asIntN(8 * bytes, BigInt(-rows))).toBe(BigInt(-rows));
    }
    expect(productBytes(10 ** 6, { bits: 0 }, { bits: 0 })).toBe(3);
    expect(productBytes(10 ** 5, { bits: 44 }, { bits: 44 })).toBe(14);
  });
});
