import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregationOf } from '../src/aggregation/aggregations.ts';
import { readContribution } from '../src/federate.ts';
import { privateLayout } from '../src/privacy/private-layout.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { isSignedContribution, signContribution } from '../src/protocol/signed-contribution.ts';
import { newNonce } from '../src/random/nonce.ts';
import {
  type Contribution,
  encodeContribution,
  firstNumbering,
  hasNonce,
} from '../src/statistic/envelope.ts';
import {
  type LinearLayout,
  packedIndex,
  predictorsOf,
  triangleEntries,
} from '../src/statistic/linear-layout.ts';
import { ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import type { LinearStatistic } from '../src/statistic/statistic.ts';
import { digestBytes } from '../src/study/digest.ts';
import type { PrivacyTerms } from '../src/study/study.ts';
import { anyCharacter } from './any-character.ts';
import { cases } from './endurance.ts';
import { anyRows, privateCase, summarize, terms } from './private-tables.ts';

const STUDY = 'the digest of a study';

function contributionOf(statistic: LinearStatistic): Contribution {
  return {
    study: STUDY,
    site: 'north',
    ...firstNumbering,
    dropped: 0,
    nonce: newNonce(),
    statistic,
  };
}

function decoded(layout: LinearLayout, sent: Contribution) {
  return readContribution(
    { digest: STUDY, layout, aggregation: aggregationOf({}) },
    encodeContribution(sent),
  );
}

describe('files of a private study', () => {
  const { layout, ...study } = privateCase('y ~ x', {
    y: { type: 'number', range: [0, 9] },
    x: { type: 'number', range: [0, 9] },
  });
  const key = createSigningKey();

  it('have one length, whatever the site, its counters and its rows', () => {
    const names = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 64 });
    const any = { sequence: fc.integer({ min: 1, max: 999_999_999 }), site: names };
    const lengths = new Set<number>();
    fc.assert(
      fc.property(fc.record(any), fc.nat({ max: 40 }), (header, rows) => {
        const table = Array.from({ length: rows }, (_, r) => [r % 10, (r * 7) % 10]);
        const { statistic } = summarize({ layout, ...study }, table);
        const mode = rows % 2 === 0 ? 'add' : 'replace';
        const sent = { ...contributionOf(statistic), ...header, mode } as const;
        const file = encodeContribution(signContribution(sent, key), 'the same for all');
        lengths.add(file.length);
        expect(hasNonce(file)).toBe(true);
        const read = readContribution(
          { digest: STUDY, layout, aggregation: aggregationOf({}) },
          file,
        );
        expect(read).toMatchObject({ contribution: sent });
      }),
      { numRuns: cases(100), seed: 20305 },
    );
    expect(lengths.size).toBe(1);
  });

  it('are told from those of plain studies by their nonce; other bytes have none', () => {
    const { statistic } = summarize({ layout, ...study }, [[1, 2]]);
    const { nonce: _, ...plain } = contributionOf(statistic);
    expect(hasNonce(encodeContribution(plain))).toBe(false);
    for (const bytes of [0, 7, 8, 100]) {
      expect(hasNonce(new Uint8Array(bytes))).toBe(false);
      expect(hasNonce(new Uint8Array(bytes).fill(255))).toBe(false);
    }
  });
});

describe('decode ∘ encode is the identity on private contributions', () => {
  it.each(['central', 'local', 'aggregators'] as const)(
    '%s noise, products and gradients',
    (placement) => {
      fc.assert(
        fc.property(anyRows(8), ({ rows, design, layout: { columns } }) => {
          const at = new Array<number>(columns.length - 1).fill(0.3);
          const refined = { rounds: 1, refinement: { round: 1, at, total: '' } };
          for (const more of [{}, refined]) {
            const asked: PrivacyTerms = { ...terms, placement, ...more };
            const layout = privateLayout(design, asked);
            const sent = contributionOf(
              summarize({ design, layout, terms: asked }, rows).statistic,
            );
            expect(decoded(layout, sent)).toEqual({ contribution: sent });
          }
        }),
        { numRuns: cases(60), seed: 20272 },
      );
    },
  );

  it('with a nonce or without, but not with any other text in its place', () => {
    const { statistic } = north();
    const { nonce: _, ...bare } = contributionOf(statistic);
    expect(decoded(statistic.layout, bare)).toEqual({ contribution: bare });
    for (const nonce of ['', 'short', `${newNonce()}=`, `${newNonce().slice(1)}\n`]) {
      expect(decoded(statistic.layout, { ...bare, nonce })).toEqual({
        refused: 'nonce must be 32 bytes in base64url',
      });
    }
  });
});

const codebook = {
  y: { type: 'number', range: [-5, 5] },
  x: { type: 'number', range: [-2, 2] },
} as const;
const rows = Array.from({ length: 12 }, (_, r) => [((r * 7) % 11) - 5, (r % 5) - 2]);

function north(formula = 'y ~ x', more: Partial<PrivacyTerms> = {}) {
  return summarize(privateCase(formula, codebook, { ...terms, ...more }), rows);
}

describe('the digest of a private contribution', () => {
  it('differs between two of the same rows, whose numbers are the same', () => {
    const [one, other] = [contributionOf(north().statistic), contributionOf(north().statistic)];
    expect(one.statistic.values).toEqual(other.statistic.values);
    expect(digestBytes(encodeContribution(one))).not.toBe(digestBytes(encodeContribution(other)));
  });

  it('and the signature names the nonce', () => {
    const signed = signContribution(contributionOf(north().statistic), createSigningKey());
    expect(isSignedContribution(signed)).toBe(true);
    expect(isSignedContribution({ ...signed, nonce: newNonce() })).toBe(false);
    const { nonce: _, ...bare } = signed;
    expect(isSignedContribution(bare)).toBe(false);
  });
});

/** What decoding says of the honest sums with one of them changed. */
function changed(
  { statistic: { layout, values } }: { statistic: LinearStatistic },
  index: number,
  change: (entry: bigint) => bigint,
) {
  const forged = values.slice();
  setRingEntry(forged, 2, index, change(ringEntry(values, 2, index)));
  return decoded(layout, contributionOf({ layout, values: forged }));
}

describe('what no scaled rows could have given is refused', () => {
  const { layout } = north().statistic;
  const width = layout.columns.length;
  const last = triangleEntries(layout);
  const response = predictorsOf(layout);
  const one = 1n << 32n;
  it.each([
    ['a part of a row', last, (n: bigint) => n + 1n, 'the number of rows is not a whole number'],
    ['fewer than no rows', last, () => -one, 'the number of rows is not a whole number'],
    ['a negative square', packedIndex(width, 1, 1), () => -1n, 'the square of x is negative'],
    [
      'rows longer than 1',
      packedIndex(width, 1, 1),
      (square: bigint) => square + one,
      'the squares add up to more than rows of length 1 can',
    ],
    [
      'fewer rows than squares',
      last,
      (n: bigint) => n - one,
      'the squares add up to more than rows of length 1 can',
    ],
    [
      'a response beyond its bound',
      packedIndex(width, response, response),
      () => 12n * BigInt(layout.privacy!.bound) ** 2n + 1n,
      'the square of y exceeds what its bound allows',
    ],
    [
      'a product larger than its squares',
      packedIndex(width, 0, 1),
      () => 12n * one,
      '(Intercept) × x breaks Cauchy–Schwarz',
    ],
  ])('%s', (_, index, change, refused) => {
    expect(changed(north(), index, change)).toEqual({ refused });
    expect(changed(north('y ~ x', { placement: 'local' }), index, change)).toHaveProperty(
      'contribution',
    );
  });

  it('sums of a constant that is not there', () => {
    for (const index of [0, 1, 2]) {
      expect(changed(north('y ~ x - 1'), index, () => 1n)).toEqual({
        refused: 'there is no intercept, and (Intercept) has sums',
      });
    }
  });

  it('a gradient that would need more rows than there are people', () => {
    const gradient = north('y ~ x', {
      rounds: 1,
      refinement: { round: 1, at: [0, 0], total: '' },
    });
    expect(changed(gradient, 1, () => -(1n << 62n))).toEqual({
      refused: 'the sum of x is too large',
    });
    expect(changed(gradient, 1, () => (1n << 62n) - 1n)).toHaveProperty('contribution');
  });
});
