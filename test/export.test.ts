import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExportedModel } from '../src/export/exported-model.ts';
import { modelJson } from '../src/export/model-json.ts';
import { glanceCsv, tidyCsv } from '../src/export/tidy-csv.ts';
import { studyDigest } from '../src/study/study.ts';
import { tableStudy } from '../src/study/table-study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { modelOf } from './export-models.ts';
import { rscript } from './other-languages.ts';

const folder = temporaryFolder();

/** The records of a CSV file, by RFC 4180. */
function records(text: string): string[][] {
  const fields = text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g);
  const rows: string[][] = [[]];
  for (const [, field, end] of fields) {
    rows.at(-1)!.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

// names(broom::tidy(lm(…), conf.int = TRUE)), broom 1.0.
const tidyNames = 'term,estimate,std.error,statistic,p.value,conf.low,conf.high'.split(',');

describe('coefficients as CSV', () => {
  it('has broom’s names and every number to the last bit', () => {
    const { report } = modelOf('y ~ a*g + h');
    const [names, ...rows] = records(tidyCsv(report));
    expect(names).toEqual(tidyNames);
    expect(rows).toHaveLength(report.terms!.length);
    report.terms!.forEach((row, k) => {
      const [term, ...numbers] = rows[k];
      expect(term).toBe(row.term);
      const exact = [row.estimate, row['std.error'], row.statistic, row['p.value']];
      expect(numbers.map(Number)).toEqual([...exact, row['conf.low'], row['conf.high']]);
    });
  });

  it('quotes names that need it', () => {
    const { report } = modelOf('y ~ h');
    expect(tidyCsv(report)).toContain('\r\n"hu""2",');
    expect(records(tidyCsv(report)).map(([term]) => term)).toEqual([
      'term',
      '(Intercept)',
      'hu"2',
      'hu\\3',
      'h<b>&amp;',
    ]);
  });

  it('names the response where there are several', () => {
    const { report } = modelOf('cbind(y, z) ~ a');
    const rows = records(tidyCsv(report));
    expect(rows.map(([response, term]) => [response, term])).toEqual([
      ['response', 'term'],
      ['y', '(Intercept)'],
      ['y', 'a'],
      ['z', '(Intercept)'],
      ['z', 'a'],
    ]);
    expect(records(glanceCsv(report)).map(([response]) => response)).toEqual([
      'response',
      'y',
      'z',
    ]);
  });

  it('leaves cells empty where a penalty leaves nothing to say', () => {
    const { report } = modelOf('y ~ a', { fusion: { kind: 'ridge', ridge: 2 } });
    const [, intercept] = records(tidyCsv(report));
    expect(intercept).toHaveLength(tidyNames.length);
    expect(intercept.slice(3)).toEqual(['', '', '', '']);
    const [names, values] = records(glanceCsv(report));
    expect(values[names.indexOf('AIC')]).toBe('');
    expect(Number(values[names.indexOf('nobs')])).toBe(80);
  });

  it.runIf(rscript !== undefined)('is read by R with the names as they are', () => {
    const path = join(folder, 'tidy.csv');
    writeFileSync(path, tidyCsv(modelOf('y ~ h').report));
    const code = `t <- read.csv("${path}"); cat(names(t), nrow(t), t$term[2], class(t$estimate), sep = "|")`;
    expect(rscript!(['--vanilla', '-e', code])).toBe(`${tidyNames.join('|')}|4|hu"2|numeric`);
  });
});

describe('the model as JSON', () => {
  const linear = modelOf('y ~ I(a^2):g + I(p > 3) + factor(k)');
  const terms = linear.report.terms!.map(({ term }) => term);
  const matrix = terms.map((_, i) => terms.map((_, j) => (i === j ? 1 : 0)));
  const model: ExportedModel = {
    ...linear,
    study: { ...linear.study, name: 'A study' },
    answers: [
      { about: 'covariance', problem: 'not this one', advice: 'the next' },
      { about: 'covariance', errors: 'classical', terms, matrix },
    ],
  };

  it('says all there is to know, in a fixed order', () => {
    const json = JSON.parse(modelJson(model));
    expect(Object.keys(json)).toEqual([
      'schema',
      'name',
      'formula',
      'method',
      'n',
      'sites',
      'digests',
      'responses',
      'aliased',
      'coding',
      'codebook',
    ]);
    expect(json).toMatchObject({
      schema: 'suffice/export@1',
      method: 'least squares',
      n: 80,
      digests: { study: studyDigest(model.study), total: model.report.digest },
      codebook: tableStudy(model.study).codebook,
    });
    expect(json.responses).toHaveLength(1);
    expect(json.responses[0].response).toBe('y');
    expect(json.responses[0].terms).toEqual(model.report.terms);
    expect(json.responses[0].covariance).toEqual({ errors: 'classical', terms, matrix });
  });

  it('tells the coding of every column, baseline first', () => {
    const { coding } = JSON.parse(modelJson(model));
    expect(coding.levels).toEqual({ g: ['mid é', 'lo', 'hi'], k: ['0', '1', '2'] });
    expect(coding.columns).toContainEqual({
      name: 'I(a^2):glo',
      numbers: ['I(a^2)'],
      at: [{ g: 'lo' }],
    });
    expect(coding.columns).toContainEqual({
      name: 'I(p > 3)TRUE',
      numbers: [],
      at: [{ 'I(p > 3)': true }],
    });
  });

  it('is the same text every time', () => {
    expect(modelJson(model)).toBe(modelJson(JSON.parse(JSON.stringify(model))));
  });
});

describe('suffice export', () => {
  const model = modelOf('y ~ a*g');
  const path = join(folder, 'model.json');
  writeFileSync(path, JSON.stringify({ schema: 'suffice/model@1', ...model }));

  it.each([
    ['json', '"schema": "suffice/export@1"'],
    ['html', '<!doctype html>'],
  ])('--format %s', async (format, expected) => {
    const { code, stdout, stderr } = await suffice('export', path, '--format', format);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toContain(expected);
  });

  it('writes a file', async () => {
    const out = join(folder, 'model.onnx');
    const { code, stdout } = await suffice('export', path, '--format', 'onnx', '--out', out);
    expect([code, stdout]).toEqual([0, '']);
    expect(readFileSync(out).subarray(0, 2)).toEqual(Buffer.from([0x08, 9]));
  });

  it('does not overwrite the model it reads', async () => {
    const before = readFileSync(path);
    const { code, stderr } = await suffice('export', path, '--format', 'json', '--out', path);
    expect(code).toBe(2);
    expect(stderr).toContain('would overwrite the model');
    expect(readFileSync(path)).toEqual(before);
  });

  it('refuses a format it does not know, and a report of another study', async () => {
    expect((await suffice('export', path, '--format', 'pmml')).code).toBe(2);
    const other = join(folder, 'other.json');
    writeFileSync(other, JSON.stringify({ ...model, study: modelOf('y ~ p').study }));
    const { code, stderr } = await suffice(
      'export',
      other,
      '--format',
      'onnx',
      '--out',
      `${other}.onnx`,
    );
    expect(code).toBe(3);
    expect(stderr).toContain('does not belong to the study');
  });
});
