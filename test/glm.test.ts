import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { families } from '../src/fusion/glm-family.ts';
import { multiplierFor } from '../src/fusion/glm-gram.ts';
import { localOptimum } from '../src/fusion/glm-optimum.ts';
import { localProblem } from '../src/fusion/glm-point.ts';
import { glmRows } from '../src/fusion/glm-rows.ts';
import { refine } from '../src/fusion/next-round.ts';
import { errorsOf } from '../src/model/errors.ts';
import type { GlmFusion } from '../src/study/study.ts';
import type { VectorTable } from './fitted.ts';
import {
  coefficientsOf,
  dealt,
  deviationBetween,
  distance,
  type GlmAnswer,
  oneRound,
  pooledGlm,
  rounds,
  solved,
  vectorTable,
} from './glm-rounds.ts';
import { agreement } from './linear.ts';
import { expectRelative } from './relative.ts';
import { hasSharedData, sharedLines } from './shared-data.ts';
import { everyRow, studyOf, type Table, tableOf } from './tables.ts';

type Family = 'binomial' | 'poisson';
interface Vectors {
  readonly one: {
    readonly table: VectorTable;
    readonly fits: readonly (Readonly<Record<Family | `${Family}_firth`, GlmAnswer>> & {
      readonly right: string;
    })[];
  };
  readonly separated: { readonly table: VectorTable; readonly binomial_firth: GlmAnswer };
  readonly five: Readonly<Record<Family, GlmAnswer>> & { readonly table: VectorTable };
  readonly heart: { readonly rows: readonly number[]; readonly pooled: GlmAnswer };
}
const vectors: Vectors = JSON.parse(
  readFileSync(new URL('vectors/glm.json', import.meta.url), 'utf8'),
);

const responses = { binomial: 'y', poisson: 'count' } as const;
const cases = vectors.one.fits.flatMap((answers) =>
  (['binomial', 'poisson'] as const).map((family) => ({ family, right: answers.right, answers })),
);
const glm = (family: Family, more: Partial<GlmFusion> = {}): GlmFusion => ({
  kind: 'glm',
  family,
  ...more,
});

describe('one site is R’s glm', () => {
  const table = vectorTable(vectors.one.table);
  it.each(cases)('$family $right', ({ family, right, answers }) => {
    const study = studyOf(table, `${responses[family]} ${right}`, {
      fusion: glm(family, { prior: 1e-9 }),
    });
    const fit = solved(oneRound(study, table, [everyRow(table)]));
    const answer = answers[family];
    expect(fit.models[0].terms).toEqual(answer.terms);
    expect(distance(fit, answer)).toBeLessThan(1e-12);
    const { covariance, kind, freedom } = errorsOf(fit, 0)!;
    expect([kind, freedom]).toEqual(['widened', Number.POSITIVE_INFINITY]);
    const factor = 1 + fit.glm!.deviation / 1.959963984540054;
    answer.std_error.forEach((error, k) => {
      const own = Math.sqrt(covariance[k * (answer.terms.length + 1)]);
      expectRelative(own, factor * error, 1e-9, `error of ${answer.terms[k]}`);
    });
    expect(fit.glm).not.toHaveProperty('logLik');
    const sum = table.cells[responses[family]].reduce((s, y) => s + y, 0);
    expect(fit.glm).toMatchObject({ family, steps: 0, responseSum: sum });
  });

  it.each(cases)(
    'and nearly so with Firth’s prior: $family $right',
    ({ family, right, answers }) => {
      const study = studyOf(table, `${responses[family]} ${right}`, { fusion: glm(family) });
      const fit = solved(oneRound(study, table, [everyRow(table)]));
      const measured = distance(fit, answers[family]);
      expect(measured).toBeLessThan(0.01);
      expect(measured).toBeLessThan(Math.max(4 * fit.glm!.deviation, 1e-4));
    },
  );
});

/** A site's own optimum under Firth's prior, in the user's units. */
function firthOptimum(table: Table, formula: string, family: Family): number[] {
  const { design, layout, columns } = agreement(studyOf(table, formula, { fusion: glm(family) }));
  const block = { rows: table.rows, columns: columns.map(({ name }) => table.cells[name]) };
  const origin = { file: 'site.csv', rowOf: (r: number) => r + 1 };
  const rows = glmRows(design, layout, families[family], block, origin);
  const multiplier = multiplierFor({ file: 'site.csv', missing: 'drop' });
  const beta = localOptimum(
    localProblem(layout, families[family], [rows], multiplier),
    'firth',
  ).beta;
  const slopes = Array.from(beta, (b, j) => b / layout.references[j].scale);
  slopes[0] -= slopes.reduce((sum, b, j) => sum + b * layout.references[j].center, 0);
  return layout.intercept ? slopes : slopes.slice(1);
}

describe('a site’s own optimum is brglm2’s with mean bias reduction', () => {
  it.each(cases)('$family $right', ({ family, right, answers }) => {
    const table = vectorTable(vectors.one.table);
    const answer = answers[`${family}_firth`];
    firthOptimum(table, `${responses[family]} ${right}`, family).forEach((b, k) => {
      expect(Math.abs(b - answer.estimate[k])).toBeLessThan(1e-9 * answer.std_error[k]);
    });
  });

  it('of separated rows', () => {
    const { table, binomial_firth: answer } = vectors.separated;
    firthOptimum(vectorTable(table), 'y ~ x', 'binomial').forEach((b, k) => {
      expectRelative(b, answer.estimate[k], 1e-9, answer.terms[k]);
    });
  });
});

describe.each(['binomial', 'poisson'] as const)('five sites, %s', (family) => {
  const table = vectorTable(vectors.five.table);
  const sites = dealt(table.cells.site);
  const study = studyOf(table, `${responses[family]} ~ a + b + g`, { fusion: glm(family) });
  const answer = vectors.five[family];

  it('one round is near R’s glm, three more are at it', () => {
    const fits = rounds(study, table, sites, 4);
    const distances = fits.map((fit) => distance(fit, answer));
    expect(distances[0]).toBeLessThan(0.5);
    expect(distances[1]).toBeLessThan(0.02);
    expect(distances[3]).toBeLessThan(1e-8);
    fits.slice(0, 3).forEach(({ glm }, k) => {
      expect(glm!.deviation).toBeGreaterThan(distances[k]);
      expect(glm!.deviation).toBeLessThan(20 * distances[k]);
    });
    const last = fits[4];
    answer.std_error.forEach((error, k) => {
      const own = Math.sqrt(last.models[0].unscaledVariances[k]);
      expectRelative(own, error, 1e-8, `error of ${answer.terms[k]}`);
    });
    expectRelative(last.glm!.logLik!, answer.logLik, 1e-12, 'log-likelihood');
    expect(last.glm!.steps).toBe(1);
  });

  it('pooledGlm arrives by itself', async () => {
    const first = solved(oneRound(study, table, sites));
    const pooled = solved(
      await pooledGlm(study, first, async (next) => oneRound(next, table, sites)),
    );
    expect(distance(pooled, answer)).toBeLessThan(1e-9);
    const { largest, term } = deviationBetween(first, pooled);
    expectRelative(largest, distance(first, answer), 1e-6, 'deviation');
    expect(answer.terms).toContain(term);
    expect(pooled.glm!.steps).toBeGreaterThan(2);
  });

  it.each([
    ['compact', 44, 1e-6],
    ['exact', 66, 1e-12],
    ['exact', 88, 1e-12],
  ] as const)('%s arithmetic on a grid of %i bits', (arithmetic, grid, tolerance) => {
    const usual = solved(oneRound(study, table, sites));
    const other = solved(oneRound({ ...study, arithmetic, grid }, table, sites));
    expect(deviationBetween(other, usual).largest).toBeLessThan(tolerance);
  });
});

it('a further round drops the prior and gives aliased terms 0', () => {
  const table = vectorTable(vectors.one.table);
  const twice = { ...table, cells: { ...table.cells, c: table.cells.a.map((a) => 3 * a - 1) } };
  const codebook = { ...table.codebook, c: { type: 'number' as const, range: [0, 400] as const } };
  const study = studyOf({ ...twice, codebook }, 'y ~ a + c + b', {
    fusion: glm('binomial', { prior: 2 }),
  });
  const [first, second] = rounds(study, { ...twice, codebook }, dealt(table.cells.g), 1);
  expect(first.aliased).toEqual(['c']);
  expect(second.aliased).toEqual(['c']);
  const { fusion } = refine(study, coefficientsOf(first));
  expect(fusion).toMatchObject({ kind: 'glm', family: 'binomial', at: { c: 0 } });
  expect(Object.keys((fusion as GlmFusion).at!).sort()).toEqual(['(Intercept)', 'a', 'b', 'c']);
  expect(fusion).not.toHaveProperty('prior');
});

/** The heart data of four hospitals, complete in all columns but slope, ca and thal. */
function heart(): { table: Table; sites: number[][] } {
  const used = 'age sex cp trestbps chol fbs restecg thalach exang oldpeak num'.split(' ');
  const records = ['cleveland', 'hungarian', 'switzerland', 'va'].flatMap((name, site) => {
    const { header, lines } = sharedLines('uci-heart', 'sites', `${name}.csv`);
    const places = used.map((column) => header.split(',').indexOf(column));
    return lines
      .map((line) => places.map((place) => line.split(',')[place]))
      .filter((cells) => cells.every((cell) => cell !== '?' && cell !== ''))
      .map((cells) => [...cells.map(Number), site]);
  });
  const columns = Object.fromEntries(
    [...used, 'site'].map((name, k) => [name, records.map((cells) => cells[k])]),
  );
  columns.disease = columns.num.map((grade) => Number(grade > 0));
  columns.cp = columns.cp.map((code) => code - 1);
  const table = tableOf(columns, { cp: ['1', '2', '3', '4'], restecg: ['0', '1', '2'] });
  return { table, sites: dealt(table.cells.site) };
}

it.skipIf(!hasSharedData)(
  'heart data: 0.5, 0.04 and 0.0003 standard errors from the pooled glm',
  () => {
    const { table, sites } = heart();
    expect(sites.map((rows) => rows.length)).toEqual(vectors.heart.rows);
    const formula =
      'disease ~ age + sex + cp + trestbps + chol + fbs + restecg + thalach + exang + oldpeak';
    const study = studyOf(table, formula, { fusion: glm('binomial') });
    const fits = rounds(study, table, sites, 4);
    const distances = fits.map((fit) => distance(fit, vectors.heart.pooled));
    expect(distances[0]).toBeLessThan(0.6);
    expect(distances[1]).toBeLessThan(0.05);
    expect(distances[2]).toBeLessThan(0.0005);
    expect(distances[4]).toBeLessThan(1e-10);
    fits.slice(0, 4).forEach(({ glm }, k) => {
      expect(glm!.deviation).toBeGreaterThan(distances[k]);
      expect(glm!.deviation).toBeLessThan(20 * distances[k]);
    });
  },
);
