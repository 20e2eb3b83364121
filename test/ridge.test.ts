import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './cli.ts';
import { answersOf, fitTable, type VectorTable } from './fitted.ts';
import { expectRelative } from './relative.ts';

interface Ridge {
  readonly lambda: number;
  readonly coefficients: readonly number[];
}

interface Gcv {
  readonly grid_ridge: number;
  readonly grid_score: number;
  readonly ridge: readonly number[];
  readonly score: readonly number[];
}

function vectorsOf<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./vectors/${name}`, import.meta.url), 'utf8'));
}

// Made by test/vectors/ridge.R and ridge.py, which say how the conventions map.
const vectors = vectorsOf<{
  readonly table: VectorTable;
  readonly mass: readonly (Ridge & { readonly no_intercept: readonly number[] })[];
  readonly glmnet: Readonly<Record<'standardized' | 'raw', readonly Ridge[]>>;
  readonly gcv: Readonly<Record<'standardized' | 'raw', Gcv>>;
}>('ridge.json');
const sklearn = vectorsOf<{
  readonly cases: readonly {
    readonly formula: string;
    readonly weights: string | null;
    readonly lambda: number;
    readonly coefficients: readonly (readonly number[])[];
  }[];
}>('ridge-sklearn.json').cases;

const tolerance = 1e-8;
const folder = temporaryFolder();
const formula = 'y ~ a + b + c + d';

function fusion(ridge: number | 'gcv', scale: 'raw' | 'standardized') {
  return {
    fusion: { kind: 'ridge', ridge, ...(scale === 'raw' ? {} : { standardize: true }) },
  } as const;
}

async function expectRidge(
  text: string,
  choices: Parameters<typeof fitTable>[3],
  expected: readonly (readonly number[])[],
): Promise<void> {
  const report = await fitTable(folder, vectors.table, text, choices);
  answersOf(report).forEach(({ terms }, r) => {
    expect(terms).toHaveLength(expected[r].length);
    terms.forEach(({ term, estimate }, k) => {
      expectRelative(estimate, expected[r][k], tolerance, term);
    });
  });
}

describe('a ridge means what it means elsewhere', () => {
  it.each(vectors.mass)('MASS::lm.ridge(lambda = $lambda)', async (truth) => {
    const choices = fusion(truth.lambda, 'standardized');
    await expectRidge(formula, choices, [truth.coefficients]);
    await expectRidge(`${formula} - 1`, choices, [truth.no_intercept]);
  });

  it.each(vectors.glmnet.standardized)('glmnet, standardised, λ = $lambda', async (truth) => {
    await expectRidge(formula, fusion(truth.lambda, 'standardized'), [truth.coefficients]);
  });

  it.each(vectors.glmnet.raw)('glmnet, raw, λ = $lambda', async (truth) => {
    await expectRidge(formula, fusion(truth.lambda, 'raw'), [truth.coefficients]);
  });

  it.each(sklearn)('sklearn Ridge(alpha = $lambda): $formula, weights $weights', async (truth) => {
    await expectRidge(
      truth.formula,
      {
        ...fusion(truth.lambda, 'raw'),
        ...(truth.weights === null ? {} : { weights: truth.weights }),
      },
      truth.coefficients,
    );
  });

  it('a ridge of 0 is least squares', async () => {
    const [plain, zero] = await Promise.all([
      fitTable(folder, vectors.table, formula),
      fitTable(folder, vectors.table, formula, fusion(0, 'standardized')),
    ]);
    expect({ ...zero, digest: plain.digest }).toEqual(plain);
  });
});

describe.each(['raw', 'standardized'] as const)('--ridge gcv, %s', (scale) => {
  const truth = vectors.gcv[scale];

  it('finds a minimum that no ridge of a fine grid beats, and scores it as R does', async () => {
    const report = await fitTable(folder, vectors.table, formula, fusion('gcv', scale));
    const { value, gcv, rule } = report.ridge!;
    expect(rule).toBe('gcv');
    expect(gcv).toBeLessThanOrEqual(truth.grid_score * (1 + 1e-12));
    expectRelative(gcv, truth.grid_score, 1e-7, 'score at the minimum');
    expectRelative(value, truth.grid_ridge, 2e-3, 'ridge at the minimum');
  });

  it('shows the curve it was picked from, in the same units', async () => {
    const report = await fitTable(folder, vectors.table, formula, fusion('gcv', scale));
    const curve = report.selection!;
    for (const { score } of curve) {
      expect(score).toBeGreaterThanOrEqual(report.ridge!.gcv! * (1 - 1e-12));
    }
    for (const { ridge, score } of [curve[20], curve[60], curve[85]]) {
      const there = await fitTable(folder, vectors.table, formula, fusion(ridge, scale));
      expectRelative(score, there.ridge!.gcv!, 1e-9, `score at ${ridge}`);
    }
  });

  it('of two responses does not depend on the units of either', async () => {
    const [plain, scaled] = await Promise.all(
      ['cbind(y, z) ~ a + b + c + d', 'cbind(y, I(z * 3e6)) ~ a + b + c + d'].map((text) =>
        fitTable(folder, vectors.table, text, fusion('gcv', scale)),
      ),
    );
    expectRelative(scaled.ridge!.value, plain.ridge!.value, 1e-5, 'ridge');
  });

  it.each(truth.ridge.map((ridge, k) => [ridge, truth.score[k]]))(
    'score at λ = %d',
    async (ridge, score) => {
      const report = await fitTable(folder, vectors.table, formula, fusion(ridge, scale));
      expectRelative(report.ridge!.gcv, score, 1e-9, 'gcv');
    },
  );

  it('is what a fit at the chosen ridge gives', async () => {
    const chosen = await fitTable(folder, vectors.table, formula, fusion('gcv', scale));
    const { value, edf, gcv } = chosen.ridge!;
    const again = await fitTable(folder, vectors.table, formula, fusion(value, scale));
    expect(again.terms).toEqual(chosen.terms);
    expect(again.ridge).toEqual({ value, rule: 'given', edf, gcv });
  });
});
