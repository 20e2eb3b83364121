import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteFile } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { createPredictor } from '../src/model/predict.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { type FitOutcome, fitFiles } from '../src/node/run/fit.ts';
import { createSigningKey, sealDocument } from '../src/protocol/signature.ts';
import { type PredictRequest, predictRows } from '../src/rows/predict.ts';
import type { NumberColumn } from '../src/study/codebook.ts';
import { studyDigest } from '../src/study/study.ts';
import { tableStudy } from '../src/study/table-study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import type { VectorTable } from './fitted.ts';
import { expectRelative } from './relative.ts';

// Made by test/vectors/predict.R.
const vectors: {
  readonly train: VectorTable;
  readonly new: VectorTable;
  readonly cases: readonly {
    readonly formula: string;
    readonly weights?: string;
    readonly fitted: readonly (readonly (number | null)[])[];
  }[];
} = JSON.parse(readFileSync(new URL('./vectors/predict.json', import.meta.url), 'utf8'));

const folder = temporaryFolder();

function writeTable(name: string, table: VectorTable): string {
  const names = Object.keys(table);
  const lines = table[names[0]].map((_, r) => names.map((key) => table[key][r] ?? 'NA').join());
  const path = join(folder, name);
  writeFileSync(path, `${[names.join(), ...lines].join('\n')}\n`);
  return path;
}

const trainPath = writeTable('train.csv', vectors.train);
const newPath = writeTable('new.csv', vectors.new);

function model(formula: string, weights?: string): Promise<FitOutcome> {
  return fitFiles(
    {
      formula,
      paths: [trainPath],
      fusion: { kind: 'ridge', ridge: 0 },
      arithmetic: 'exact',
      missing: 'drop',
      decimal: '.',
      missingMarkers: [],
      ...(weights === undefined ? {} : { weights }),
    },
    () => ({ update: () => {}, done: () => {} }),
  );
}

async function predictions(
  request: PredictRequest,
): Promise<{ names: string[]; values: number[][] }> {
  const values: number[][] = [];
  const { names } = await predictRows(request, nodeHost, (blocks) =>
    blocks.forEach((block, k) => {
      values[k] = [...(values[k] ?? []), ...block];
    }),
  );
  return { names: [...names], values };
}

async function savedModel(formula: string): Promise<string> {
  const path = join(folder, 'model.json');
  const { study, report } = await model(formula);
  writeFileSync(path, JSON.stringify({ schema: 'suffice/model@1', study, report }));
  return path;
}

describe('predict(lm) of R on rows without the response', () => {
  it.each(vectors.cases)('$formula (weights $weights)', async ({ formula, weights, fitted }) => {
    const outcome = await model(formula, weights);
    const { names, values } = await predictions({
      model: outcome,
      file: { path: newPath },
      extrapolate: false,
    });
    expect(names).toEqual(fitted.length === 1 ? ['.fitted'] : ['.fitted.y', '.fitted.z']);
    fitted.forEach((column, k) => {
      expect(values[k]).toHaveLength(column.length);
      column.forEach((truth, r) => {
        if (truth === null) expect(values[k][r]).toBeNaN();
        else expectRelative(values[k][r], truth, 1e-9, `row ${r + 1}`);
      });
    });
  });

  it('is the same from Parquet', async () => {
    const path = join(folder, 'new.parquet');
    parquetWriteFile({
      filename: path,
      columnData: Object.entries(vectors.new).map(([name, data]) => ({ name, data: [...data] })),
    });
    const outcome = await model('y ~ x*g + log(v)');
    const request = { model: outcome, extrapolate: false };
    expect(await predictions({ ...request, file: { path } })).toEqual(
      await predictions({ ...request, file: { path: newPath } }),
    );
  });
});

describe('suffice predict', () => {
  it('applies what suffice fit --save-model wrote', async () => {
    const saved = join(folder, 'saved.json');
    const { code } = await suffice('fit', 'y ~ x + g', trainPath, '--save-model', saved);
    expect(code).toBe(0);
    const printed = await suffice('predict', saved, newPath);
    expect(printed.stderr).toContain('25 rows, 2 without a prediction');
    const lines = printed.stdout.trimEnd().split('\n');
    expect(lines[0]).toBe('.fitted');
    expect(lines).toHaveLength(26);
    expect(lines[4]).toBe('NA');
    const json = JSON.parse((await suffice('predict', saved, newPath, '--json')).stdout);
    expect(json).toMatchObject({ schema: 'suffice/predictions@1', rows: 25, missing: 2 });
    expect(json.predictions['.fitted'].map((v: number | null) => String(v ?? 'NA'))).toEqual(
      lines.slice(1),
    );
  });

  it('--append repeats the file’s own columns, whatever quotes and line ends they hold', async () => {
    const saved = await savedModel('y ~ x');
    const records = ['"a, ""b""",8', '"two\r\nlines",NA', ',9'];
    const path = join(folder, 'quoted.csv');
    writeFileSync(path, `\ufeffnote,x\r\n\r\n${records.join('\r\n\r\n')}`);
    const out = join(folder, 'appended.csv');
    const { code, stdout, stderr } = await suffice(
      'predict',
      saved,
      path,
      '--append',
      '--out',
      out,
    );
    expect([code, stdout, stderr.includes('3 rows')]).toEqual([0, '', true]);
    const appended = readFileSync(out, 'utf8');
    const plain = (await suffice('predict', saved, path)).stdout.trimEnd().split('\n').slice(1);
    expect(appended).toBe(
      `note,x,.fitted\n${records.map((record, r) => `${record},${plain[r]}\n`).join('')}`,
    );
  });

  it('keeps to decimal commas where the file has them', async () => {
    const { study: fitted, report } = await model('y ~ x');
    const study = tableStudy(fitted);
    const x = { ...study.codebook.x, decimal: ',' };
    const saved = join(folder, 'comma.json');
    const comma = { ...study, codebook: { ...study.codebook, x } };
    writeFileSync(saved, JSON.stringify({ study: comma, report }));
    const path = join(folder, 'comma.csv');
    writeFileSync(path, 'x;note\n8,5;1,5\n');
    const plain = await savedModel('y ~ x');
    for (const saying of [saved, plain]) {
      const { stdout } = await suffice('predict', saying, path, '--append');
      expect(stdout).toMatch(/^x;note;\.fitted\n8,5;1,5;\d+,\d+\n$/);
    }
  });

  it('refuses a level outside the codebook by row and column, and leaves no file behind', async () => {
    const saved = await savedModel('y ~ x + g');
    const path = join(folder, 'level.csv');
    writeFileSync(path, 'x,g\n8,yes\n9,perhaps\n');
    const before = readdirSync(folder).sort();
    const out = join(folder, 'never.csv');
    const { code, stdout, stderr } = await suffice('predict', saved, path, '--out', out);
    expect(code).toBe(3);
    expect(stderr).toContain('row 2, column "g"');
    expect(stderr).not.toContain('perhaps');
    expect(stdout).toBe('');
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(before);
  });

  it('goes on past the range, and warns of those rows unless told to extrapolate', async () => {
    const saved = await savedModel('y ~ x');
    const path = join(folder, 'far.csv');
    const { codebook } = tableStudy((await model('y ~ x')).study);
    const [low] = (codebook.x as NumberColumn).range!;
    writeFileSync(path, `x\n1000\n${low}\n`);
    const warned = await suffice('predict', saved, path);
    expect([warned.code, warned.stdout.split('\n').length]).toEqual([0, 4]);
    expect(warned.stderr).toContain(
      'warning: 1 row has a number outside the ranges of the study (x)',
    );
    const asked = await suffice('predict', saved, path, '--extrapolate');
    expect([asked.stdout, asked.stderr]).toEqual([warned.stdout, '2 rows\n']);
    const { outside } = JSON.parse((await suffice('predict', saved, path, '--json')).stdout);
    expect(outside).toEqual({ rows: 1, columns: ['x'] });
  });

  it('verifies a sealed resolution first', async () => {
    const { study, report } = await model('y ~ x');
    const document = JSON.parse(
      JSON.stringify({
        schema: 'suffice/resolution@1',
        number: 1,
        study,
        studyDigest: studyDigest(study),
        report,
      }),
    );
    const sealed = sealDocument(document, createSigningKey());
    const path = join(folder, 'sealed.json');
    writeFileSync(path, JSON.stringify(sealed));
    expect(await suffice('predict', path, newPath)).toMatchObject({ code: 0 });
    const text = JSON.stringify(sealed).replace(/"estimate":\d/, '"estimate":9');
    writeFileSync(path, text);
    const { code, stdout, stderr } = await suffice('predict', path, newPath);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('the signature is not valid');
  });

  it('asks for the site where the model has site effects', async () => {
    const saved = join(folder, 'sites.json');
    const paths = ['biscoe', 'dream', 'torgersen'].map((name) => `examples/penguins/${name}.csv`);
    await suffice('fit', 'body_mass ~ bill_length + .site', ...paths, '--save-model', saved);
    const path = join(folder, 'bill.csv');
    writeFileSync(path, 'bill_length\n40\n');
    const at = async (site: string) =>
      Number((await suffice('predict', saved, path, '--site', site)).stdout.split('\n')[1]);
    const { report } = JSON.parse(readFileSync(saved, 'utf8'));
    const effect = report.terms.find(
      ({ term }: { term: string }) => term === '.sitedream',
    ).estimate;
    expect((await at('dream')) - (await at('biscoe'))).toBeCloseTo(effect, 8);
    expect((await suffice('predict', saved, path)).code).toBe(3);
    expect((await suffice('predict', saved, path, '--site', 'elba')).stderr).toContain(
      'biscoe, dream',
    );
  });

  it('refuses a file without a model, and a report of another study', async () => {
    const path = join(folder, 'none.json');
    writeFileSync(path, '{"a": 1}');
    expect((await suffice('predict', path, newPath)).stderr).toContain('holds no model');
    const one = await model('y ~ x');
    const other = await model('y ~ v');
    expect(() => createPredictor(one.study, other.report)).toThrow('does not belong');
  });
});
