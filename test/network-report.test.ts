import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelRow } from '../src/analysis/right-side.ts';
import { htmlReport } from '../src/export/html-report.ts';
import { createDesign } from '../src/features/design.ts';
import { networkAnswers } from '../src/features/network-answers.ts';
import { networkInputs } from '../src/features/network-inputs.ts';
import { headStudy } from '../src/fusion/head-repair.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { modelDesign } from '../src/model/model-design.ts';
import { modelStudy } from '../src/model/model-study.ts';
import { createPredictor } from '../src/model/predict.ts';
import { type Report, reportJson } from '../src/model/report.ts';
import { reportSchema } from '../src/model/report-schema.ts';
import { reportText } from '../src/model/report-text.ts';
import { perceptron } from '../src/network/known-networks.ts';
import type { Network } from '../src/network/network.ts';
import { parseFormula } from '../src/study/formula.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { classPredictions, plainCells, predictions, sampleTable } from './export-models.ts';
import { drawnImages } from './image-models.ts';
import {
  type NetworkModel,
  networkModel,
  ownOutputs,
  tableNetwork,
  valuesOf,
} from './network-models.ts';
import { expectRelative } from './relative.ts';
import { everyRow, federated } from './tables.ts';

const relu = { kind: 'relu' } as const;
const convolutions: Network = {
  layers: [
    ...([{ kind: 'convolution', channels: 4, size: 3, padding: 1 }, relu] as const),
    ...([
      { kind: 'max-pool', size: 2 },
      { kind: 'convolution', channels: 5, size: 2 },
    ] as const),
    ...([relu, { kind: 'dense', units: 6 }, relu] as const),
  ],
  pixels: [
    { mean: 0.4914, deviation: 0.247 },
    { mean: 0.4822, deviation: 0.2435 },
    { mean: 0.4465, deviation: 0.2616 },
  ],
};
const colour = { height: 9, width: 7, channels: 3 } as const;

function imageNetwork(network: Network): NetworkModel {
  const { study, table } = drawnImages(colour, []);
  return networkModel(study, table, network);
}

const models: readonly (readonly [string, NetworkModel])[] = [
  ['numbers', tableNetwork('cbind(y, z) ~ a*g + log(p) + factor(k)', perceptron(7, 5))],
  ['a number without a constant', tableNetwork('y ~ a + h - 1', { ...perceptron(4), bias: false })],
  ['classes', tableNetwork('g ~ a + p + h', perceptron(6))],
  ['a comparison', tableNetwork('I(z > 0) ~ a + g', perceptron(4))],
  ['no hidden layer', tableNetwork('g ~ a + h', { layers: [] })],
  ['images', imageNetwork(convolutions)],
  ['dense layers on images', imageNetwork({ ...perceptron(5), bias: false })],
];

describe('the report of a network predicts what the network says', () => {
  it.each(models)('%s', (_, model) => {
    const { design, report, table } = model;
    const outputs = ownOutputs(model);
    const { loss, units } = networkAnswers(design);
    if (loss === 'numbers') {
      const fitted = predictions(model, table);
      units.forEach(({ center, scale }, k) => {
        outputs[k].forEach((value, r) => {
          const size = scale * Math.max(1, Math.abs(value));
          const error = Math.abs(fitted[k][r] - (center + scale * value));
          expect(error, `row ${r}`).toBeLessThan(1e-5 * size);
        });
      });
      return;
    }
    const { chosen, shares } = classPredictions(model, table);
    everyRow(table).forEach((r) => {
      const scores = outputs.map((column) => column[r]);
      const sum = scores.reduce((total, score) => total + Math.exp(score), 0);
      expect(chosen[0][r]).toBe(scores.indexOf(Math.max(...scores)));
      scores.forEach((score, k) => {
        expectRelative(shares[k][r], Math.exp(score) / sum, 1e-5, `class ${k}, row ${r}`);
      });
    });
    expect(report.classifier).toEqual({ kind: 'softmax' });
  });

  it.each(models)('%s: as JSON, too, and in few words', (_, model) => {
    const { study, report, network } = model;
    const read = reportSchema.parse(JSON.parse(reportJson(report)));
    expect(read).toEqual(report);
    expect(createPredictor(study, read).names.length).toBeGreaterThan(0);
    const { weights } = report.network!;
    for (const text of [reportText(report), htmlReport(model)]) {
      expect(text).not.toContain('network1');
      if (network.layers.length > 0) expect(text).not.toContain(weights);
      expect(text).toMatch(/learnt from/i);
    }
    const page = htmlReport(model);
    expect(page).toContain('Each site trained a network on its rows and sent it once; no row left');
    expect(page).toContain('The sites sent networks, not sums of their columns');
  });
});

it('one-hot coding has an indicator for every level, under the names of R', () => {
  const { codebook } = sampleTable;
  const names = (formula: string) =>
    createDesign(parseFormula(formula), codebook, { coding: 'one-hot' })
      .columns.slice(0, -1)
      .map(({ name }) => name);
  expect(names('y ~ a + g + I(a > 0)')).toEqual([
    ...['(Intercept)', 'a', 'gmid é', 'glo', 'ghi', 'I(a > 0)FALSE', 'I(a > 0)TRUE'],
  ]);
  // What is an interaction stays as R codes it.
  expect(names('y ~ g + a:g')).toEqual([
    ...['(Intercept)', 'gmid é', 'glo', 'ghi', 'gmid é:a', 'glo:a', 'ghi:a'],
  ]);
  expect(names('y ~ a*g')).toEqual([
    ...['(Intercept)', 'a', 'gmid é', 'glo', 'ghi', 'a:glo', 'a:ghi'],
  ]);
});

it('a row of a form gets the columns of its network', () => {
  const { study, report, table } = tableNetwork('y ~ a + g', perceptron(3));
  const asked = modelStudy(study, report);
  const { levels } = table.codebook.g as { readonly levels: readonly string[] };
  const cells = { a: table.cells.a[0], g: levels[table.cells.g[0]] };
  const row = modelRow({ study: asked, design: modelDesign(asked, report) }, cells);
  if ('problem' in row) throw new Error(row.problem);
  const sum = report.terms!.reduce(
    (total, { term, estimate }) => total + estimate * (row.get(term) ?? Number.NaN),
    0,
  );
  expectRelative(sum, predictions({ study, report }, table)[0][0], 1e-12, 'fitted');
});

it('pixels go in channel by channel, each by the scale of its channel', () => {
  const { design, network } = imageNetwork(convolutions);
  const { fill, shape, columns } = networkInputs(design, network);
  expect(shape).toEqual({ channels: 3, height: 9, width: 7 });
  const given = columns.map((_, k) => ({ values: Float64Array.of(k), center: 0, scale: 255 }));
  const inputs = new Float32Array(columns.length + 1).fill(-9);
  fill(given, 0, inputs, 1);
  expect(inputs[0]).toBe(-9);
  const green = 1 + 63 + 2 * 7 + 4; // the fifth pixel of the third row
  const { mean, deviation } = network.pixels![1];
  expect(inputs[green]).toBe(Math.fround(((3 * 18 + 1) / 255 - mean) / deviation));
});

it.each<readonly [string, RegExp, () => unknown]>([
  ['biases without a constant', /no constant/, () => tableNetwork('y ~ a - 1', perceptron(2))],
  [
    'a category beside a number',
    /one category or numbers/,
    () => tableNetwork('cbind(y, g) ~ a', perceptron(2)),
  ],
  ['windows over a table', /needs images/, () => tableNetwork('y ~ a', convolutions)],
  [
    'a report without a network',
    /has no network/,
    () => {
      const [[, { study, report }]] = models;
      const { network: _, ...without } = report;
      return headStudy(study, without);
    },
  ],
])('refuses %s', (_, words, make) => {
  expect(make).toThrow(words);
});

/** Rows of another class than predicted, or the sum of the squared errors of the first response in its public unit. */
function mistakes(report: Report, { study, table, design }: NetworkModel): number {
  const { units, read } = networkAnswers(design);
  const actual = read(valuesOf({ table, design }), table.rows);
  const model = { study, report };
  if (actual.kind === 'classes') {
    const [chosen] = classPredictions(model, table).chosen;
    return actual.classes.filter((level, r) => chosen[r] !== level).length;
  }
  const [{ center, scale }] = units;
  return predictions(model, table)[0].reduce(
    (sum, value, r) => sum + ((value - center) / scale - actual.numbers[r * units.length]) ** 2,
    0,
  );
}

describe('the last layer of a fused network, fitted anew by ridge regression', () => {
  it.each(models)('%s', (_, model) => {
    const { report, table } = model;
    const study = headStudy(model.study, report);
    expect(parseStudy(JSON.parse(JSON.stringify(study)))).toEqual(study);
    const head = federated(study, table, [everyRow(table)]).report;
    if (typeof head === 'string') throw new Error(head);
    expect(head.network).toEqual(report.network);
    expect(head.grid).toBe(44);
    expect(head.digits).toBeGreaterThan(6);
    // The categories of the sample table are noise, so there is nothing to learn about them.
    if (!models.slice(2, 5).some(([, noise]) => noise === model)) {
      expect(mistakes(head, { ...model, study })).toBeLessThan(mistakes(report, model));
    }
  });
});

it('a saved network predicts, is evaluated, shown and exported by the commands', async () => {
  const folder = temporaryFolder();
  const { study, report, table } = tableNetwork('g ~ a + p + h', perceptron(6));
  const path = (name: string) => join(folder, name);
  const saved = { ...study, disclosure: { profile: 'none' }, evaluation: { bins: 2 } };
  writeFileSync(
    path('model.json'),
    JSON.stringify({ schema: 'suffice/model@1', study: saved, report }),
  );
  const names = ['a', 'p', 'h', 'g'];
  const cells = names.map((name) =>
    plainCells(table, name).map((cell) =>
      typeof cell === 'number' ? cell : `"${cell.replaceAll('"', '""')}"`,
    ),
  );
  const lines = everyRow(table).map((r) => cells.map((column) => column[r]).join());
  writeFileSync(path('rows.csv'), `${[names.join(), ...lines].join('\n')}\n`);
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await suffice(...args);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    return stdout;
  };
  const predicted = await run('predict', path('model.json'), path('rows.csv'), '--classes');
  const { levels } = report.classes![0];
  const [chosen] = classPredictions({ study, report }, table).chosen;
  const read = predicted.trim().split('\n').slice(1);
  expect(read.map((line) => levels.findIndex(({ level }) => line.includes(level)))).toEqual([
    ...chosen,
  ]);
  await run(
    ...['evaluate', path('model.json'), path('rows.csv'), '--out', path('counts.json')],
    ...['--home', path('home'), '--yes'],
  );
  const counted = JSON.parse(
    await run('evaluate', path('model.json'), path('counts.json'), '--json'),
  );
  expect(counted.n).toBe(table.rows);
  for (const format of ['json', 'csv', 'html']) {
    await run('export', path('model.json'), '--format', format, '--out', path(`written.${format}`));
  }
  const refused = await suffice(
    'predict',
    path('model.json'),
    path('rows.csv'),
    '--interval',
    'confidence',
  );
  expect(refused.code).not.toBe(0);
  expect(refused.stdout).toBe('');
  expect(refused.stderr).toContain('the method gives no standard errors');
});
