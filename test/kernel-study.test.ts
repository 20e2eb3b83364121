import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Answered } from '../src/analysis/question.ts';
import type { MapStep } from '../src/export/map-json.ts';
import { mapLines } from '../src/export/map-lines.ts';
import { type ExportedJson, modelJson } from '../src/export/model-json.ts';
import type { PlannedMap } from '../src/export/prediction-plan.ts';
import { featureMaps } from '../src/features/feature-maps.ts';
import type { MapFunction } from '../src/features/map-writer.ts';
import { studyDesign } from '../src/features/study-design.ts';
import { agreement } from '../src/federate.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import type { Feature, TableStudy } from '../src/study/study.ts';
import { fitReport, suffice, temporaryFolder, writeSites } from './cli.ts';
import { mappedModels, predictions, sampleTable } from './export-models.ts';
import { agreement as linearAgreement } from './linear.ts';
import { unitsStudy, unitsTable } from './projected.ts';
import { expectRelative } from './relative.ts';
import { everyRow, summaryOf } from './tables.ts';

const folder = temporaryFolder();
const lines = Array.from({ length: 120 }, (_, k) => {
  const [x, z] = [((k * 37) % 120) / 20, ((k * 53) % 120) / 40];
  const y = Math.sin(2 * x) + 0.3 * z + (((k * 29) % 31) - 15) / 100;
  return [x, z, ['a', 'b', 'c'][k % 3], y.toFixed(4)].join(',');
});
const files = writeSites(folder, 'wave', 'x,z,g,y', lines, 3);

describe('several bandwidths at once', () => {
  it('the smallest score is kept, and it is the fit of that bandwidth alone to the last bit', async () => {
    const model = join(folder, 'several.json');
    const flags = ['--ridge', 'gcv', '--save-model', model];
    const all = await fitReport('y ~ x + z', files, '--fourier', '20,bandwidth=9/0.5/3', ...flags);
    const { kept, scores } = all.alternative!;
    expect(scores.map(({ term }) => term)).toEqual([
      ...['fourier(bandwidth 9)', 'fourier(bandwidth 0.5)', 'fourier(bandwidth 3)'],
    ]);
    expect(kept).toBe('fourier(bandwidth 0.5)');
    const alone = await fitReport(
      'y ~ x + z',
      files,
      '--fourier',
      '20,bandwidth=0.5',
      '--ridge',
      'gcv',
    );
    expect(alone.alternative).toBeUndefined();
    const estimates = (terms = all.terms) => terms!.map(({ estimate }) => estimate);
    expect(estimates(alone.terms)).toEqual(estimates());
    expect(all.terms!.map(({ term }) => term).slice(1, 3)).toEqual(['fourier21', 'fourier22']);
    expectRelative(scores[1].score, alone.ridge!.gcv!, 1e-10, 'the score');
    expect(Math.min(...scores.map(({ score }) => score))).toBe(scores[1].score);

    const saved = JSON.parse(readFileSync(model, 'utf8')) as { answers?: readonly Answered[] };
    expect(saved.answers?.map(({ about }) => about) ?? []).toEqual([]);
    const predicted = await suffice('predict', model, files[0]);
    expect(predicted.code).toBe(0);
    expect(predicted.stdout.trim().split('\n')).toHaveLength(41);
    const shown = await suffice('fit', '--help');
    expect(shown.stdout).toContain('--fourier <D[,name=…]>');
  });

  it('questions are about the kept one', async () => {
    const { code, stdout } = await suffice(
      ...['fit', 'y ~ x + z', ...files, '--fourier', '6,bandwidth=9/0.5', '--ridge', 'gcv'],
      ...['--show', 'all'],
    );
    expect(code).toBe(0);
    expect(stdout).toContain('Kept fourier(bandwidth 0.5); scores: fourier(bandwidth 9)');
    expect(stdout).not.toMatch(/^fourier[1-6] /m);
  });

  it('left-out sites choose as well', async () => {
    const flags = ['--fourier', '20,bandwidth=9/0.5', '--ridge', 'leave-one-site-out'];
    const { alternative, ridge } = await fitReport('y ~ x + z', files, ...flags);
    expect(ridge!.rule).toBe('leave-one-site-out');
    expect(alternative!.kept).toBe('fourier(bandwidth 0.5)');
  });

  it('a study in which nothing chooses is refused, and no model is written', async () => {
    const model = join(folder, 'refused.json');
    const { code, stderr } = await suffice(
      ...['fit', 'y ~ x + z', ...files, '--fourier', '6,bandwidth=1/2', '--save-model', model],
    );
    expect([code, existsSync(model)]).toEqual([3, false]);
    expect(stderr).toContain(
      'the feature map has several settings, and nothing chooses among them',
    );
    expect(stderr).toContain('let a rule such as gcv choose the ridge');
    const features: readonly Feature[] = [
      { kind: 'fourier', dimension: 6, kernel: 'rbf', bandwidth: [1, 2], seed: 1 },
    ];
    const other = (choices: Partial<TableStudy>) => () =>
      agreement({ ...unitsStudy, features, ...choices } as TableStudy);
    expect(other({ fusion: { kind: 'average' } })).toThrow(/cannot choose among several settings/);
    expect(
      other({
        formula: 'I(z > -20) ~ kg + year',
        fusion: { kind: 'glm', family: 'binomial' },
      }),
    ).toThrow(/cannot choose among several settings/);
  });
});

describe('every kernel map', () => {
  const maps: readonly Feature[] = [
    { kind: 'fourier', dimension: 30, kernel: 'laplace', seed: 0 },
    { kind: 'nystrom', landmarks: 3, kernel: 'rbf', seed: 2 ** 32 - 1 },
    { kind: 'tangent', dimension: 30, seed: 2 ** 32 - 1 },
    { kind: 'arccosine', dimension: 30, seed: 0 },
  ];

  it.each(maps.map((map) => [map.kind, map] as const))(
    '%s: categories alone, and a column with a tiny scale, have values',
    (_, map) => {
      const codebook = {
        ...unitsStudy.codebook,
        tiny: { type: 'number', range: [0, 1e-300], center: 0, sd: 1e-301 },
      } as const;
      for (const formula of ['z ~ g', 'z ~ tiny + kg']) {
        const design = studyDesign({ formula, codebook, features: [map] }, 'indicators');
        const hi = design.columns.map(() => new Float64Array(2));
        const cells: Readonly<Record<string, readonly number[]>> = {
          ...{ z: [-1, -2], g: [0, 2], tiny: [0, 1e-300], kg: [40, 90] },
        };
        const columns = design.variables.map((name) => Float64Array.from(cells[name]));
        const noLow = hi.map(() => undefined);
        design.evaluate({ rows: 2, columns }, { file: '', rowOf: (r) => r }, hi, noLow);
        for (const [k, { interval }] of design.columns.entries()) {
          for (const value of hi[k]) {
            expect(value).toBeGreaterThanOrEqual(interval.low);
            expect(value).toBeLessThanOrEqual(interval.high);
          }
        }
      }
    },
  );

  it('reads its own option, and refuses others by the rule', () => {
    const read = (kind: keyof typeof featureMaps, value: string) =>
      featureMaps[kind].option?.read(value);
    expect(read('fourier', '500,kernel=matern-5/2,bandwidth=1/2,orthogonal=yes,seed=7')).toEqual({
      ...{ kind: 'fourier', dimension: 500, kernel: 'matern-5/2', bandwidth: [1, 2] },
      ...{ orthogonal: true, seed: 7 },
    });
    expect(read('nystrom', '9,bandwidth=2.5')).toEqual({
      ...{ kind: 'nystrom', landmarks: 9, kernel: 'rbf', bandwidth: 2.5, seed: 1 },
    });
    expect(read('arccosine', '9,degree=0')).toEqual({
      ...{ kind: 'arccosine', dimension: 9, degree: 0, seed: 1 },
    });
    for (const value of [
      ...[
        '0',
        '3',
        '5002',
        '4,kernel=cubic',
        '4,bandwidth=0',
        '4,bandwidth=1/',
        '4,seed=4294967296',
      ],
      ...['4,width=2', '4,orthogonal', '4,seed=1,seed=2', '4,bandwidth=1e999', '', '4,'],
    ]) {
      expect(read('fourier', value), value).toBeUndefined();
    }
    for (const value of ['1001', '0', '5,bandwidth='])
      expect(read('nystrom', value)).toBeUndefined();
    for (const value of ['3', '4,degree=1']) expect(read('tangent', value)).toBeUndefined();
    for (const value of ['4,degree=3', '4,degree='])
      expect(read('arccosine', value)).toBeUndefined();
  });

  it('stands in a study file, whose schema refuses what no map has', () => {
    const made = (feature: unknown) => parseStudy({ ...unitsStudy, features: [feature] });
    for (const map of maps) expect(made(map)).toMatchObject({ features: [map] });
    for (const bad of [
      { kind: 'fourier', dimension: 4, kernel: 'cubic', seed: 1 },
      { kind: 'fourier', dimension: 4, kernel: 'rbf', bandwidth: 0, seed: 1 },
      { kind: 'fourier', dimension: 4, kernel: 'rbf', bandwidth: [], seed: 1 },
      { kind: 'fourier', dimension: 4, kernel: 'rbf' },
      { kind: 'nystrom', landmarks: [], kernel: 'rbf' },
      { kind: 'nystrom', landmarks: 1001, kernel: 'rbf' },
      { kind: 'tangent', dimension: 4, seed: 2 ** 32 },
      { kind: 'arccosine', dimension: 4, degree: 3, seed: 1 },
    ]) {
      expect(() => made(bad), JSON.stringify(bad)).toThrow();
    }
  });
});

it('5,000 Fourier features are drawn, and 5,002 are not', async () => {
  const features: readonly Feature[] = [
    { kind: 'fourier', dimension: 5000, kernel: 'rbf', seed: 1 },
  ];
  const design = studyDesign({ ...unitsStudy, features }, 'indicators');
  expect(design.columns).toHaveLength(5002);
  const { code, stderr } = await suffice('fit', 'y ~ x', ...files, '--fourier', '5002');
  expect(code).toBe(2);
  expect(stderr).toContain('--fourier must be an even dimension from 2 to 5000');
});

it('rows of Fourier features have one length in a private study, so that all weigh alike', () => {
  const features: readonly Feature[] = [{ kind: 'fourier', dimension: 8, kernel: 'rbf', seed: 1 }];
  const privacy = { epsilon: 1, delta: 1e-6, neighbours: 'replace-one', unit: 'row' } as const;
  const agreed = linearAgreement({
    ...unitsStudy,
    fusion: { kind: 'ridge', ridge: 0 },
    features,
    privacy,
  });
  const { statistic, rows } = summaryOf(agreed, unitsTable, everyRow(unitsTable));
  // The constant of a row is 1 over the length of (1, φ in public units), which is √9; a step is 2⁻¹⁶.
  const [low, high] = statistic.values;
  expect(low + high * 2 ** 32).toBe(rows * Math.trunc(2 ** 16 / 3) ** 2);
});

describe('a model of features in JSON', () => {
  type Matrix = readonly (readonly number[])[];

  /** The steps of a map, as docs/export.md describes them. */
  function run(steps: readonly MapStep[], inputs: Matrix): Matrix {
    const functions = {
      ...{ abs: Math.abs, cos: Math.cos, exp: Math.exp, sin: Math.sin, sqrt: Math.sqrt },
      relu: (v: number) => Math.max(0, v),
      step: (v: number) => Number(v > 0),
    };
    const made: Matrix[] = [];
    for (const one of steps) {
      made.push(
        inputs.map((input, r) => {
          if (one.step === 'inputs') return input;
          if (one.step === 'affine') {
            const row = made[one.of][r];
            return one.matrix[0].map((_, j) =>
              row.reduce((sum, v, i) => sum + v * one.matrix[i][j], one.constant?.[j] ?? 0),
            );
          }
          if (one.step === 'scale') return made[one.of][r].map((v) => v * one.factor);
          if (one.step === 'standardise') {
            return made[one.of][r].map((v, j) => (v - one.units[j].center) / one.units[j].scale);
          }
          if (one.step === 'beside') return one.of.flatMap((k) => made[k][r]);
          if (one.step === 'add' || one.step === 'multiply') {
            const [left, right] = one.of.map((k) => made[k][r]);
            return left.map((v: number, j: number) =>
              one.step === 'add' ? v + right[j] : v * right[j],
            );
          }
          return made[one.of as number][r].map(functions[one.step as MapFunction]);
        }),
      );
    }
    return made[made.length - 1];
  }

  it.each(mappedModels)('predicts by its steps: %s', (_, model) => {
    const json = JSON.parse(modelJson(model)) as ExportedJson;
    const { from, columns } = studyDesign(model.study as TableStudy, 'indicators').mapped!;
    const hi = from.columns.map(() => new Float64Array(sampleTable.rows));
    const block = {
      rows: sampleTable.rows,
      columns: from.variables.map((name) => sampleTable.cells[name]),
    };
    const noLow = hi.map(() => undefined);
    from.evaluate(block, { file: '', rowOf: (r) => r }, hi, noLow);
    const { inputs, steps } = json.map!;
    expect(inputs.map(({ column }) => column)).toEqual(columns.map((k) => from.columns[k].name));
    const rows = everyRow(sampleTable).map((r) =>
      columns.map((k, i) => (hi[k][r] - inputs[i].center) / inputs[i].scale),
    );
    const links = run(steps, rows);
    predictions(model, sampleTable).forEach((fitted, response) => {
      const intercept = json.responses[response].terms[0].estimate;
      fitted.forEach((value, r) => {
        expectRelative(intercept + links[r][response], value, 1e-11, `row ${r}`);
      });
    });
  });

  it('is too long for source code where its map has a million numbers, and that is said', () => {
    const language = {
      name: 'source code',
      ...{ inputs: 'x', matrix: () => '', affine: () => '', call: () => '', scale: () => '' },
      ...{
        standardise: () => '',
        add: () => '',
        multiply: () => '',
        beside: () => '',
        assign: () => '',
      },
    };
    const inputs = [{} as PlannedMap['inputs'][number]];
    const link: PlannedMap['link'] = ({ inputs: x, affine }) =>
      affine(x, new Float64Array(600_000));
    expect(() => mapLines({ made: 'features', inputs, link }, language)).toThrow(
      /more than 1 million numbers/,
    );
    const small: PlannedMap['link'] = ({ inputs: x, affine }) => affine(x, new Float64Array(9));
    expect(mapLines({ made: 'features', inputs, link: small }, language).lines).toHaveLength(1);
  });
});
