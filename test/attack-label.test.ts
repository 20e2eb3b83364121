import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { attackBound } from '../src/privacy/budget.ts';
import { muOf } from '../src/privacy/calibration.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import type { PrivacyTerms, Refinement } from '../src/study/study.ts';
import { labelArea, labelAttack, lowerLimit, type Neighbours } from './attack/label-attack.ts';
import { paperAlgorithm2 } from './attack/paper-algorithm-2.ts';
import { privateNeighbours, type Row } from './attack/private-neighbours.ts';
import { chosen } from './endurance.ts';
import { expectRelative } from './relative.ts';

/** Made by test/vectors/clopper-pearson.py. */
const limits = JSON.parse(
  readFileSync(new URL('./vectors/clopper-pearson.json', import.meta.url), 'utf8'),
) as { times: number; of: number; lower: number }[];

const delta = 1e-5;
const labels = chosen([0.1, 1, 5], 2).map((epsilon) => ({ epsilon, delta }));

const words = seededWords(77);
const inRange = () => (words() / 2 ** 32) * 6 - 3;
/** Rows that both data sets have. */
const shared: readonly Row[] = Array.from({ length: 12 }, (_, k) => [
  inRange(),
  inRange(),
  100 + k,
]);

/** As long as a row can be, in the direction (1, x), and its response at the bound. */
const atBounds = (x: number, sign: 1 | -1): Row => [x, 3 * sign, 1];
/** Rows (1, ±x) of cosine c²/2, c² = f_h/f_G: one in the other's place moves (G, c·h) farthest (privacy.md, section 1.3). */
const apart = Math.tan(Math.acos(0.57 / 0.4 / 2) / 2);

const row = { unit: 'row' } as const;
/** Where a refinement starts is public; that it is not the solution makes no row's residual smaller. */
const refinement: Refinement = { round: 1, at: [0.3, -0.2], total: '' };

interface Scenario {
  readonly name: string;
  readonly releases: readonly Omit<PrivacyTerms, 'epsilon' | 'delta'>[];
  readonly rows: readonly [readonly Row[], readonly Row[]];
  /** Of μ, what these neighbours can reach: all parts of the noise are not at their worst for one pair of rows. */
  readonly reach?: number;
}

const oneMore: Scenario['rows'] = [shared, [...shared, atBounds(1, 1)]];
const scenarios: readonly Scenario[] = [
  { name: 'one row more, noise on the total', releases: [row], rows: oneMore },
  {
    name: 'one row more, noise at the site',
    releases: [{ ...row, placement: 'local' }],
    rows: oneMore,
  },
  {
    name: 'another row in its place',
    releases: [{ ...row, neighbours: 'replace-one' }],
    rows: [
      [...shared, atBounds(-apart, -1)],
      [...shared, atBounds(apart, 1)],
    ],
    reach: Math.sqrt(0.97 / 0.99), // Σb² is the same with either
  },
  {
    name: 'another response, the rest public',
    releases: [{ ...row, protects: 'labels' }],
    rows: [
      [...shared, atBounds(1, -1)],
      [...shared, atBounds(1, 1)],
    ],
    reach: Math.sqrt(0.57 / 0.59),
  },
  {
    name: 'one row more, and a gradient after the first round',
    releases: [
      { ...row, rounds: 1 },
      { ...row, rounds: 1, refinement },
    ],
    rows: oneMore,
  },
  {
    name: 'one row more, in two releases',
    releases: [
      { ...row, releases: 2 },
      { ...row, releases: 2 },
    ],
    rows: oneMore,
  },
  {
    name: 'all three rows of a person more',
    releases: [{ unit: 'person', person: 'who', rowsPerPerson: 3 }],
    rows: [shared, [...shared, ...[0, 1, 2].map(() => atBounds(1, 1))]],
  },
];

const enough = { learned: 800, counted: 3000 };

function attackOf(label: (typeof labels)[number], neighbours: Neighbours, seed: number) {
  return labelAttack(label, neighbours, { ...enough, seed });
}

describe.each(labels)('An attack cannot beat the label ε = $epsilon, δ = $delta', (label) => {
  it.each(scenarios)('$name', ({ name, releases, rows, reach = 1 }) => {
    const neighbours = privateNeighbours(
      releases.map((terms) => ({ ...terms, ...label })),
      rows,
    );
    const mu = muOf(label);
    const { auc, aucError, separation, excess } = attackOf(
      label,
      neighbours,
      40 * label.epsilon + name.length,
    );
    expect(excess).toBeLessThanOrEqual(0);
    expect(auc - 4 * aucError).toBeLessThanOrEqual(attackBound(mu));
    expect(attackBound(mu)).toBeLessThanOrEqual(labelArea(label));
    // And it is as good as an attack can be: neither it nor the noise is slack.
    expect(auc + 4 * aucError).toBeGreaterThanOrEqual(attackBound(reach * mu));
    expect(separation / (reach * mu)).toBeGreaterThan(0.93);
    expect(separation / (reach * mu)).toBeLessThan(1.07);
  });

  it('and finds the paper’s Algorithm 2 out', () => {
    const { auc, aucError, separation, excess } = attackOf(label, paperAlgorithm2(label, 20), 3);
    expect(excess).toBeGreaterThan(0.02);
    expect(auc - 4 * aucError).toBeGreaterThan(attackBound(muOf(label)));
    expect(separation / muOf(label)).toBeGreaterThan(3);
  });
});

describe('the bounds that attacks are held to', () => {
  it('are Clopper and Pearson’s, as SciPy has them', () => {
    expect(limits.length).toBeGreaterThan(5);
    for (const { times, of, lower } of limits) {
      expectRelative(lowerLimit(times, of), lower, 1e-12, `${times} of ${of}`);
    }
  });

  it('are the area under the worst ROC curve of a label', () => {
    expect(labelArea({ epsilon: 1, delta: 0 })).toBeCloseTo(Math.E / (1 + Math.E), 14);
    expect(labelArea({ epsilon: 0.1, delta: 0 })).toBeCloseTo(0.525, 3);
  });
});
