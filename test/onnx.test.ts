import * as ort from 'onnxruntime-web';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExportedModel } from '../src/export/exported-model.ts';
import { onnx } from '../src/export/onnx.ts';
import { perceptron } from '../src/network/known-networks.ts';
import { studyDigest } from '../src/study/study.ts';
import { tableStudy } from '../src/study/table-study.ts';
import {
  classifiers,
  classPredictions,
  formulas,
  mappedModels,
  mappedWithSites,
  modelOf,
  plainCells,
  predictions,
  projectedModel,
  sampleTable,
  siteTable,
  withHoles,
} from './export-models.ts';
import { tableNetwork } from './network-models.ts';
import { expectRelative } from './relative.ts';
import { studyOf, type Table, tableOf } from './tables.ts';

beforeAll(() => {
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
});

type Outputs = Readonly<Record<string, ort.Tensor>>;

async function run(bytes: Uint8Array, table: Table, rows = table.rows): Promise<Outputs> {
  const session = await ort.InferenceSession.create(bytes);
  const feeds = Object.fromEntries(
    session.inputNames.map((name) => {
      if (table.cells[name] === undefined) {
        return [name, new ort.Tensor('float64', new Float64Array(0), [rows, 0])];
      }
      const cells = plainCells(table, name).map((cell) => cell ?? 'NA');
      return table.codebook[name].type === 'category'
        ? [name, new ort.Tensor('string', cells as string[], [rows, 1])]
        : [name, new ort.Tensor('float64', Float64Array.from(cells as number[]), [rows, 1])];
    }),
  );
  try {
    return await session.run(feeds);
  } finally {
    await session.release();
  }
}

function expectPredictions(
  tensor: ort.Tensor,
  expected: readonly Float64Array[],
  precision = 1e-12,
): void {
  expect(tensor.type).toBe('float64');
  expect(tensor.dims).toEqual([expected[0].length, expected.length]);
  const got = tensor.data as Float64Array;
  expected.forEach((column, k) => {
    column.forEach((value, r) => {
      const ours = got[r * expected.length + k];
      if (Number.isNaN(value)) expect(ours).toBeNaN();
      else expectRelative(ours, value, precision, `row ${r}`);
    });
  });
}

describe('onnxruntime predicts as suffice predict does, to 1e-12', () => {
  it('with projections, which it knows nothing of', async () => {
    const model = projectedModel();
    const { y } = await run(onnx(model), sampleTable);
    expectPredictions(y, predictions(model, sampleTable));
  });

  it.each(mappedModels)('with a map: %s', async (_, model) => {
    const { y } = await run(onnx(model), withHoles(sampleTable, ['a', 'g']));
    expectPredictions(y, predictions(model, withHoles(sampleTable, ['a', 'g'])));
  });

  it.each([
    ['numbers', tableNetwork('cbind(y, z) ~ a*g + log(p)', perceptron(5, 4))],
    ['classes', tableNetwork('g ~ a + p + h', perceptron(6))],
  ])('with a network of %s, to single precision', async (_, model) => {
    const { y, probability } = await run(onnx(model), sampleTable);
    const { fitted, shares } = classPredictions(model, sampleTable);
    expectPredictions(y, fitted, 1e-5);
    if (shares.length > 0) expectPredictions(probability, shares, 1e-5);
  });

  it('with a map beside columns of the sites', async () => {
    const { y } = await run(onnx(mappedWithSites), siteTable);
    expectPredictions(y, predictions(mappedWithSites, siteTable));
  });

  it.each(formulas)('with %s: %s', async (_, formula) => {
    const model = modelOf(formula);
    const { y } = await run(onnx(model), sampleTable);
    expectPredictions(y, predictions(model, sampleTable));
  });

  it.each(classifiers)('with classes: %s', async (_, formula, fusion) => {
    const model = modelOf(formula, { fusion });
    const { y, probability } = await run(onnx(model), sampleTable);
    const { fitted, shares } = classPredictions(model, sampleTable);
    expectPredictions(y, fitted);
    expectPredictions(probability, shares);
  });

  it('with a ridge', async () => {
    const model = modelOf('y ~ a*g', { fusion: { kind: 'ridge', ridge: 3 } });
    const { y } = await run(onnx(model), sampleTable);
    expectPredictions(y, predictions(model, sampleTable));
  });

  it('giving NaN where a cell is missing, even one that is only compared', async () => {
    const model = modelOf('y ~ I(a > 0.5) + p + g + factor(k)');
    const table = withHoles(sampleTable, ['a', 'p', 'g', 'k']);
    const { y } = await run(onnx(model), table);
    expectPredictions(y, predictions(model, table));
    expect([...(y.data as Float64Array)].filter(Number.isNaN)).toHaveLength(4);
  });

  it('giving NaN for a level the codebook does not know', async () => {
    const session = await ort.InferenceSession.create(onnx(modelOf('y ~ g')));
    const g = new ort.Tensor('string', ['lo', 'other', 'mid é'], [3, 1]);
    const { y } = await session.run({ g });
    expect([...(y.data as Float64Array)].map(Number.isNaN)).toEqual([false, true, false]);
  });

  it('with one matrix where a table has very many columns', async () => {
    const rows = 12;
    const names = Array.from({ length: 501 }, (_, k) => `c${k}`);
    const cell = (r: number, k: number) => ((r * 31 + k * 17) % 23) / 7;
    const columns = names.map((name, k) => [
      name,
      Array.from({ length: rows }, (_, r) => cell(r, k)),
    ]);
    const y = Array.from({ length: rows }, (_, r) => r % 5);
    const table = tableOf(Object.fromEntries([['y', y], ...columns]));
    const terms = ['(Intercept)', ...names].map((term, k) => ({ term, estimate: Math.sin(k + 1) }));
    const { report } = modelOf('y ~ 1', {}, table);
    const model = { study: studyOf(table, 'y ~ .'), report: { ...report, terms } };
    const session = await ort.InferenceSession.create(onnx(model));
    expect(session.inputNames).toEqual(['x']);
    const matrix = Float64Array.from({ length: rows * 501 }, (_, i) =>
      cell(Math.floor(i / 501), i % 501),
    );
    const out = await session.run({ x: new ort.Tensor('float64', matrix, [rows, 501]) });
    expectPredictions(out.y, predictions(model, table));
  });
});

describe('a model with a link', () => {
  const linear = modelOf('z ~ a*g');
  const [link] = predictions(linear, sampleTable);

  it('gives probabilities', async () => {
    const model: ExportedModel = { ...linear, report: { ...linear.report, family: 'binomial' } };
    const out = await run(onnx(model), sampleTable);
    expect(Object.keys(out)).toEqual(['link', 'probability']);
    expectPredictions(out.link, [link]);
    expectPredictions(out.probability, [link.map((eta) => 1 / (1 + Math.exp(-eta)))]);
  });

  it('gives means', async () => {
    const model: ExportedModel = { ...linear, report: { ...linear.report, family: 'poisson' } };
    const out = await run(onnx(model), sampleTable);
    expectPredictions(out.mean, [link.map(Math.exp)]);
  });
});

it('an output does not take the name of a column', async () => {
  const model = modelOf('z ~ y + a');
  const out = await run(onnx(model), sampleTable);
  expectPredictions(out.y_, predictions(model, sampleTable));
});

/** The fields of a message: numbers for varints, bytes for the rest. */
function fieldsOf(bytes: Uint8Array): { field: number; value: number | Uint8Array }[] {
  const fields: { field: number; value: number | Uint8Array }[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++];
      value += (byte % 128) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if (![0, 2].includes(tag % 8)) throw new Error(`wire type ${tag % 8}`);
    const value = varint();
    const field = Math.floor(tag / 8);
    if (tag % 8 === 0) {
      fields.push({ field, value });
      continue;
    }
    fields.push({ field, value: bytes.subarray(at, at + value) });
    at += value;
  }
  if (at !== bytes.length) throw new Error('the last field is cut off');
  return fields;
}

describe('the file', () => {
  const model = modelOf('y ~ a*g');
  const fields = fieldsOf(onnx(model));
  const message = (field: number) => fields.find((one) => one.field === field)!.value as Uint8Array;
  const textOf = (value: number | Uint8Array) => new TextDecoder().decode(value as Uint8Array);

  it('is an ONNX model of IR 9 and operator set 19', () => {
    expect(fields.find(({ field }) => field === 1)?.value).toBe(9);
    expect(fieldsOf(message(8)).map(({ value }) => value)).toEqual([new Uint8Array(), 19]);
  });

  it('says where the model comes from', () => {
    const about = Object.fromEntries(
      fields
        .filter(({ field }) => field === 14)
        .map(({ value }) => fieldsOf(value as Uint8Array).map((part) => textOf(part.value))),
    );
    expect(about).toMatchObject({
      formula: 'y ~ a*g',
      study: studyDigest(model.study),
      total: model.report.digest,
      rows: '80',
      sites: '3',
      inputs: '["a","g"]',
      columns: '["a","glo","ghi","a:glo","a:ghi"]',
      outputs: '["y"]',
    });
    expect(JSON.parse(about.codebook)).toEqual(tableStudy(model.study).codebook);
  });

  it('holds the coefficients to the last bit, in double precision', () => {
    const tensors = fieldsOf(message(7)).filter(({ field }) => field === 5);
    const numbers = tensors.map(({ value }) => {
      const raw = fieldsOf(value as Uint8Array).find(({ field }) => field === 9);
      if (raw === undefined) return [];
      return [...new Float64Array((raw.value as Uint8Array).slice().buffer)];
    });
    const estimates = model.report.terms!.map(({ estimate }) => estimate);
    expect(numbers).toContainEqual(estimates.slice(1));
    expect(numbers).toContainEqual(estimates.slice(0, 1));
  });
});
