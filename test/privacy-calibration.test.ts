import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attackBound, composed, epsilonSpent, guessBound, leftOf } from '../src/privacy/budget.ts';
import { deltaOf, epsilonOf, muOf } from '../src/privacy/calibration.ts';
import { expectRelative } from './relative.ts';

const vectors = (name: string) =>
  JSON.parse(readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), 'utf8'));
const research = vectors('privacy-research');
const exact = vectors('privacy-calibration');

/** Numbers between two powers of ten, as many small as large. */
const powers = (from: number, to: number) =>
  fc.double({ min: from, max: to, noNaN: true }).map((x) => 10 ** x);

interface Case {
  readonly mu: number;
  readonly epsilon: number;
  readonly delta: number;
}

describe('the analytic Gaussian', () => {
  it('agrees with Google’s dp_accounting', () => {
    for (const { eps, delta, mu, sigma } of research.agm) {
      expectRelative(muOf({ epsilon: eps, delta }), mu, 1e-12, `μ(${eps}, ${delta})`);
      expectRelative(1 / muOf({ epsilon: eps, delta }), sigma, 1e-12, `σ(${eps}, ${delta})`);
    }
    for (const { mu, delta, eps } of research.gdp_to_eps) {
      expectRelative(epsilonOf(mu, delta), eps, 1e-12, `ε(${mu}, ${delta})`);
    }
  });

  it('has every digit of the formula in 60 digits, at the extremes too', () => {
    for (const { mu, epsilon, delta } of exact.deltas as Case[]) {
      expectRelative(deltaOf(mu, epsilon), delta, 3e-16, `δ(${mu}, ${epsilon})`);
    }
    for (const { mu, epsilon, delta } of exact.mus as Case[]) {
      expectRelative(muOf({ epsilon, delta }), mu, 1e-15, `μ(${epsilon}, ${delta})`);
    }
    for (const { mu, epsilon, delta } of exact.epsilons as Case[]) {
      expectRelative(epsilonOf(mu, delta), epsilon, 1e-15, `ε(${mu}, ${delta})`);
    }
    expect(exact.deltas.length + exact.mus.length + exact.epsilons.length).toBeGreaterThan(90);
  });

  it('keeps the promise, and not by more than a rounding', () => {
    fc.assert(
      fc.property(powers(-4, 2.5), powers(-15, -0.2), (epsilon, delta) => {
        const mu = muOf({ epsilon, delta });
        expect(deltaOf(mu, epsilon)).toBeLessThanOrEqual(delta * (1 + 2 ** -52));
        expect(deltaOf(mu * (1 + 1e-14), epsilon)).toBeGreaterThan(delta);
        // Where δ pays for nearly all of it, ε is what two close numbers differ by.
        const back = Math.abs(epsilonOf(mu, delta) - epsilon);
        expect(back).toBeLessThanOrEqual(1e-11 * epsilon + 1e-14 * mu);
      }),
      { numRuns: 100 },
    );
  });

  it('needs no ε where δ alone pays', () => {
    expect(epsilonOf(0.5, deltaOf(0.5, 0))).toBe(0);
    expect(epsilonOf(0.5, 0.999 * deltaOf(0.5, 0))).toBeGreaterThan(0);
    expect(epsilonOf(0, 1e-5)).toBe(0);
    expect(deltaOf(1e-20, 1)).toBe(0);
    expect(deltaOf(1e5, 1)).toBe(1);
  });

  it('refuses what is no promise', () => {
    expect(() => muOf({ epsilon: 0, delta: 1e-5 })).toThrow('epsilon must be positive: 0');
    expect(() => muOf({ epsilon: 1, delta: 0 })).toThrow('delta must be between 0 and 1: 0');
    expect(() => epsilonOf(1, 1)).toThrow('delta must be between 0 and 1: 1');
    expect(() => epsilonOf(-1, 0.1)).toThrow('mu must be a number from 0 on: -1');
    expect(() => deltaOf(1, Number.NaN)).toThrow('epsilon must not be negative: NaN');
  });
});

describe('the budget', () => {
  it('adds squares: R releases at μ/√R cost what one at μ does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), powers(-3, 1), (releases, mu) => {
        const shares = Array.from({ length: releases }, () => mu / Math.sqrt(releases));
        expectRelative(composed(shares), mu, 1e-14, 'μ');
      }),
    );
    expect(composed([])).toBe(0);
    expect(composed([3, 4])).toBe(5);
    expectRelative(epsilonSpent([0.6, 0.8], 1e-5), 4.377178095681223, 1e-12, 'ε of μ = 1');
  });

  it('gives what is left, which spends the rest exactly', () => {
    const limit = { epsilon: 2, delta: 1e-6 };
    const left = leftOf(limit, [0.2, 0.1]);
    expectRelative(epsilonSpent([0.2, 0.1, left], 1e-6), 2, 1e-12, 'ε');
    expect(leftOf(limit, [0.2, 0.5])).toBe(0);
  });

  it('bounds an attack by the curve of two normals', () => {
    // Φ(μ/√2) by scipy.stats.norm.cdf.
    expectRelative(attackBound(0.26805112321129), 0.5751654966310298, 1e-13, 'AUC at ε = 1');
    expectRelative(attackBound(2), 0.9213503964748575, 1e-13, 'AUC at μ = 2');
    expect(attackBound(0)).toBe(0.5);
    // Φ(μ/2): a guess between two cases is right more rarely than the curve's area says.
    expectRelative(guessBound(0.26805112321129), 0.5533088192260497, 1e-13, 'guess at ε = 1');
    expectRelative(guessBound(2), 0.8413447460685429, 1e-13, 'guess at μ = 2');
    expect(guessBound(0)).toBe(0.5);
  });
});
