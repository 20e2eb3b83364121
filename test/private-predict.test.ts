import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ort from 'onnxruntime-web';
import { describe, expect, it } from 'vitest';
import type { ExportedModel } from '../src/export/exported-model.ts';
import { htmlReport } from '../src/export/html-report.ts';
import { type ExportedJson, modelJson } from '../src/export/model-json.ts';
import { onnx } from '../src/export/onnx.ts';
import { pythonSnippet } from '../src/export/python-snippet.ts';
import { rSnippet } from '../src/export/r-snippet.ts';
import { glanceCsv, tidyCsv } from '../src/export/tidy-csv.ts';
import { createPredictor } from '../src/model/predict.ts';
import { publicRange } from '../src/model/prediction-cap.ts';
import type { Report } from '../src/model/report.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { python, rscript } from './other-languages.ts';
import { privateReport, privateStudy } from './private-models.ts';

const codebook: Codebook = {
  y: { type: 'number', range: [-5, 15], center: 5, sd: 4 },
  x: { type: 'number', range: [-10, 10] },
  g: { type: 'category', levels: ['a', 'b'] },
};
const terms = { epsilon: 1, delta: 1e-5, unit: 'row' } as const;
const rows = Array.from({ length: 3000 }, (_, r) => {
  const x = ((r * 37) % 200) / 10 - 10;
  return [Math.max(-5, Math.min(15, 5 + 1.4 * x + (r % 7) - 3)), x, r % 2];
});
const study: TableStudy = privateStudy('y ~ x + g', codebook, terms);
const report: Report = privateReport(study, rows, 1);
const model: ExportedModel = { study, report };

const asked = { x: [-10, -3.5, 0, 2, 10, Number.NaN], g: [0, 1, 0, 1, 1, 0] };
const origin = { file: 'new.csv', rowOf: (r: number) => r + 1 };

function predicted(of: Report): Float64Array {
  const predictor = createPredictor(study, of);
  expect(predictor.variables).toEqual(['x', 'g']);
  const columns = [Float64Array.from(asked.x), Float64Array.from(asked.g)];
  return predictor.predict({ rows: asked.x.length, columns }, origin)[0];
}

describe('predictions of a private model', () => {
  const { privacy: _, ...open } = report;

  it('are capped to the public range of the response', () => {
    const free = predicted(open);
    expect(Math.min(...free.slice(0, 5))).toBeLessThan(-6); // the line leaves the range on both sides
    expect(Math.max(...free.slice(0, 5))).toBeGreaterThan(16);
    const wanted = free.map((value) => Math.min(15, Math.max(-5, value)));
    expect(predicted(report)).toEqual(wanted);
    expect(predicted(report)[5]).toBeNaN();
  });

  it('have intervals within it, where there is a covariance', () => {
    const names = report.terms!.map(({ term }) => term);
    const matrix = names.map((_, i) => names.map((__, j) => (i === j ? 0.5 : 0)));
    const covariances = [{ errors: 'noise-aware', terms: names, matrix }];
    const told: Report = {
      ...report,
      errors: 'noise-aware',
      freedom: 'normal',
      glance: { nobs: 3000, sigma: 2 },
    };
    const request = { kind: 'prediction', level: 0.9, covariances } as const;
    const predictor = createPredictor(study, told, [], request);
    expect(predictor.names).toEqual(['.fitted', '.se.fit', '.lower', '.upper']);
    const columns = [Float64Array.from([-10, 0, 10]), Float64Array.from([0, 0, 0])];
    const [fitted, , lower, upper] = predictor.predict({ rows: 3, columns }, origin);
    expect([fitted[0], lower[0]]).toEqual([-5, -5]);
    expect([fitted[2], upper[2]]).toEqual([15, 15]);
    expect(lower[1]).toBeLessThan(fitted[1]);
    expect(upper[1]).toBeGreaterThan(fitted[1]);
  });

  it('have no interval without one, and it is said why', () => {
    const request = { kind: 'confidence', level: 0.95, covariances: [] } as const;
    const { errors: _, ...without } = report;
    expect(() => createPredictor(study, without as Report, [], request)).toThrow(
      'this private model has no standard errors',
    );
    const told: Report = {
      ...report,
      errors: 'noise-aware',
      freedom: 'normal',
      glance: { nobs: 3000, sigma: 2 },
    };
    expect(() => createPredictor(study, told, [], request)).toThrow(
      'does not contain the covariance',
    );
  });
});

describe('the public range of a response', () => {
  const of = (formula: string) => publicRange(privateStudy(formula, codebook, terms));

  it('is the codebook’s, that of an expression, or 0 to 1', () => {
    expect(of('y ~ x')).toEqual([-5, 15]);
    const [low, high] = of('I(2 * y + 1) ~ x');
    expect(low).toBeCloseTo(-9, 9);
    expect(high).toBeCloseTo(31, 9);
    expect(of('I(y > 3) ~ x')).toEqual([0, 1]);
    expect(of('g ~ x')).toEqual([0, 1]);
    expect(of('y ~ .')).toEqual([-5, 15]);
  });
});

describe('exports of a private model', () => {
  const known = { x: asked.x.slice(0, 5), g: ['a', 'b', 'a', 'b', 'b'] };
  const wanted = predicted(report).slice(0, 5);
  const folder = temporaryFolder();

  function expectWanted(got: readonly number[]): void {
    expect(got).toHaveLength(5);
    wanted.forEach((value, k) => {
      expect(got[k]).toBeCloseTo(value, 12);
    });
  }

  it.runIf(python !== undefined)('Python predicts within the range', () => {
    const file = join(folder, 'model.py');
    writeFileSync(
      file,
      `${pythonSnippet(model)}\nimport json, sys\nprint(json.dumps(predict_suffice(json.load(sys.stdin))))\n`,
    );
    expectWanted(JSON.parse(python!([file], JSON.stringify(known))));
  });

  it.runIf(rscript !== undefined)('R predicts within the range', () => {
    const file = join(folder, 'model.R');
    const data = `data.frame(x = c(${known.x.join(', ')}), g = c(${known.g.map((g) => `"${g}"`).join(', ')}))`;
    writeFileSync(file, `${rSnippet(model)}\ncat(sprintf("%.17g", predict_suffice(${data})))\n`);
    expectWanted(rscript!([file]).trim().split(' ').map(Number));
  });

  it('ONNX predicts within the range', async () => {
    ort.env.wasm.numThreads = 1;
    ort.env.logLevel = 'error';
    const session = await ort.InferenceSession.create(onnx(model));
    const { y } = await session.run({
      x: new ort.Tensor('float64', Float64Array.from(known.x), [5, 1]),
      g: new ort.Tensor('string', known.g, [5, 1]),
    });
    expectWanted([...(y.data as Float64Array)]);
    await session.release();
  });

  it('JSON tells the promise and the range, and no rows of a site', () => {
    const told = JSON.parse(modelJson(model)) as ExportedJson;
    expect(told.privacy).toMatchObject({
      epsilon: 1,
      range: [-5, 15],
      spent: { mu: expect.any(Number) },
    });
    expect(told.sites).toEqual([{ name: 'north' }, { name: 'south' }]);
    expect(told.method).toBe('differentially private least squares');
  });

  it('the page, the snippets and the tables do without what is not known', () => {
    const page = htmlReport(model);
    expect(page).toContain('Noise for ε = 1');
    expect(page).toContain('fitted to about');
    expect(page).not.toMatch(/NaN|undefined/);
    expect(page).not.toContain('Left out');
    expect(rSnippet(model)).toContain(
      '# Predictions are capped to the public range of the response, -5 to 15.',
    );
    expect(tidyCsv(report).split('\r\n')[1]).toMatch(/^\(Intercept\),-?[\d.]+,/);
    expect(glanceCsv(report).split('\r\n')[1]).toMatch(/,\d+$/);
  });
});
