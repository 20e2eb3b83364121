import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { featuresOf } from '../src/cli/feature-flags.ts';
import { DataError } from '../src/data-error.ts';
import { layerFactors, numbersText } from '../src/features/residual-terms.ts';
import { nextRound } from '../src/federate.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { mapText } from '../src/model/map-text.ts';
import type { Report } from '../src/model/report.ts';
import { reportSchema } from '../src/model/report-schema.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { releasedLabels } from '../src/rows/inspection.ts';
import { type Study, studyDigest, type TableStudy } from '../src/study/study.ts';
import { audited, ruleOf } from './audited.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { agreement } from './linear.ts';
import {
  classLayers,
  layersOf,
  nextContact,
  type ResidualStudy,
  reportOver,
  unitsLayers,
  valuesOf,
} from './residual-study.ts';
import { everyRow, federated } from './tables.ts';

const studies: readonly (readonly [string, ResidualStudy])[] = [
  ['a number', unitsLayers],
  ['classes over a projection', classLayers],
];

/** Coefficients by term, for each response. */
function coefficients({ responses, terms = [] }: Report): Map<string, number>[] {
  const answers = responses ?? [{ terms }];
  return answers.map((one) => new Map(one.terms.map(({ term, estimate }) => [term, estimate])));
}

/** Three contacts over some sites: the study and the report of each. */
function contactsOver({ study, table }: ResidualStudy, sites: readonly (readonly number[])[]) {
  let asked = study;
  return Array.from({ length: 3 }, (_, t) => {
    if (t > 0) asked = nextContact(asked, reportOver(asked, table, sites));
    return {
      study: asked,
      ...federated(asked, table, sites),
      report: reportOver(asked, table, sites),
    };
  });
}

describe.each(studies)('residual layers for %s', (_, one) => {
  const { table, contacts } = one;
  const pooled = contactsOver(one, [everyRow(table)]);

  it('are those of numpy, contact after contact', () => {
    pooled.forEach(({ study, report }, t) => {
      const expected = contacts[t];
      const mapped = agreement(study).design.columns.filter(({ origin }) => origin === 'mapped');
      const z = valuesOf(study, table);
      expected.first.forEach((value, j) => {
        expect(z[1 + j][0]).toBeCloseTo(value, 10);
      });
      coefficients(report).forEach((of, r) => {
        expect(of.get('(Intercept)')).toBeCloseTo(expected.constant[r], 9);
        mapped.forEach(({ name }, j) => {
          expect(of.get(name)).toBeCloseTo(expected.slopes[r][j], 9);
        });
      });
    });
    const { layers = [] } = layersOf(pooled[2].study);
    const { dimension } = layersOf(one.study);
    const width = contacts[0].first.length - dimension;
    layerFactors(layersOf(pooled[2].study), width).forEach(({ rank, hidden, output }, t) => {
      expect(layers[t].score).toBeCloseTo(contacts[t].score, 9);
      contacts[t].layer.forEach((row, i) => {
        row.forEach((value, j) => {
          let sum = 0;
          for (let k = 0; k < rank; k++) sum += hidden[i * rank + k] * output[k * width + j];
          expect(sum).toBeCloseTo(value, 8);
        });
      });
    });
  });

  it('carry the fit on: the next X predicts by its own coefficients what X and F did', () => {
    const { intercept } = agreement(one.study).design;
    expect(intercept).toBe(true);
    for (const t of [0, 1]) {
      const before = valuesOf(pooled[t].study, table);
      const after = valuesOf(pooled[t + 1].study, table);
      const { columns } = agreement(pooled[t].study).design;
      const width = contacts[0].first.length - layersOf(one.study).dimension;
      const carriedNames = new Set(Array.from({ length: width }, (_, j) => `residual${j + 1}`));
      const carried = columns.flatMap(({ name }, k) => (carriedNames.has(name) ? [k] : []));
      coefficients(pooled[t].report).forEach((of) => {
        const gaps = everyRow(table).map((r) => {
          const whole = columns.reduce(
            (sum, { name }, k) => sum + (of.get(name) ?? 0) * before[k][r],
            0,
          );
          return (
            whole - carried.reduce((sum, k) => sum + of.get(columns[k].name)! * after[k][r], 0)
          );
        });
        // What differs is a public constant: the centre of the response in its public unit.
        for (const gap of gaps) expect(Math.abs(gap - gaps[0])).toBeLessThan(1e-10);
      });
    }
  });

  it('have the same totals, layers and reports from three sites as from one', () => {
    const parts = [2, 0, 1].map((k) => everyRow(table).filter((r) => (r * 7) % 3 === k));
    const apart = contactsOver(one, parts);
    expect(apart.map(({ study, report }) => [studyDigest(study), report.digest])).toEqual(
      pooled.map(({ study, report }) => [studyDigest(study), report.digest]),
    );
    expect(new Set(pooled.map(({ report }) => report.digest)).size).toBe(3);
    expect(apart[2].total.values).toEqual(pooled[2].total.values);
  });

  it('are in studies and reports that are read as they were written', () => {
    const { study, report } = pooled[2];
    const read = parseStudy(JSON.parse(JSON.stringify(study)));
    expect(studyDigest(read)).toBe(studyDigest(study));
    expect(reportSchema.parse(JSON.parse(JSON.stringify(report))).residual).toEqual(
      report.residual,
    );
    for (const text of ['%', 'A', 'AAAAA=', 'AAAAAA']) {
      const wrong = { ...layersOf(study), layers: [{ hidden: text, output: 'AAAA' }] };
      expect(() => parseStudy({ ...study, features: [wrong] })).toThrow(/must be base64/);
    }
  });

  it('are told with what each contact added', () => {
    const [first] = pooled.map(({ report }) => mapText(report).join('\n'));
    expect(first).toMatch(/contact 1: error by GCV 0\.\d+ of the variance; another contact would/);
    const last = mapText(pooled[2].report).join('\n');
    expect(last).toMatch(/contact 3: error by GCV 0\.\d+ → 0\.\d+ → 0\.\d+ of the variance; after/);
    expect(last).toContain('optimistic');
    const { rounds } = agreement(pooled[1].study).method;
    expect([rounds?.planned, rounds?.text]).toEqual([
      1,
      expect.stringMatching(/^contact 2: exact/),
    ]);
  });

  it('give a ledger other columns with every contact, and the responses of before', () => {
    const labels = pooled.map(({ study }) => releasedLabels(agreement(study).method));
    const responses = agreement(one.study).design.responses;
    for (const t of [1, 2]) {
      const known = labels[t].filter((label) => labels[t - 1].includes(label));
      expect(known).toEqual(labels[0].slice(-responses));
    }
  });
});

describe('the next round of a study of images', () => {
  const words = seededWords(4);
  const pixels = Array.from({ length: 6 }, (_, k) => `pixel${k + 1}`);
  const cells = Object.fromEntries(
    pixels.map((name) => [name, Float64Array.from({ length: 90 }, () => words() % 256)]),
  );
  const noisy = Float64Array.from(cells.pixel1, (value) => (value + (words() % 200) > 220 ? 1 : 0));
  const table = { rows: 90, codebook: {}, cells: { ...cells, class: noisy } };
  const images = {
    schema: 'suffice/study@1',
    data: { kind: 'images', height: 2, width: 3, channels: 1, classes: ['no', 'yes'] },
    arithmetic: 'exact',
  } as const;

  it.each<[string, Pick<TableStudy, 'fusion' | 'features'>]>([
    [
      'residual layers',
      {
        fusion: { kind: 'ridge', ridge: 'gcv' },
        features: [
          {
            ...{ kind: 'residual', dimension: 5, seed: 1 },
            of: { kind: 'projection', dimension: 4, seed: 2 },
          },
        ],
      },
    ],
    ['a Newton step', { fusion: { kind: 'glm', family: 'binomial' }, features: [] }],
  ])('is a study of images: %s', (_, terms) => {
    const study = { ...images, ...terms } as object as Study;
    const report = reportOver(study, table, [everyRow(table)]);
    const next = nextRound(study, report);
    if ('problem' in next) throw new Error(next.problem);
    expect(parseStudy(JSON.parse(JSON.stringify(next)))).toEqual(next);
    expect(next).toMatchObject({ data: images.data });
    const parts = [0, 1, 2].map((k) => everyRow(table).filter((r) => r % 3 === k));
    expect(reportOver(next, table, parts)).toMatchObject({ n: 90 });
  });
});

describe('residual layers by command', () => {
  it('are read from the option, over another map where there is one', () => {
    expect(featuresOf({ residual: '20,contacts=3,seed=7' }).features).toEqual([
      { kind: 'residual', dimension: 20, seed: 7, contacts: 3 },
    ]);
    expect(featuresOf({ residual: '20', projection: '4' }).features).toEqual([
      {
        ...{ kind: 'residual', dimension: 20, seed: 1 },
        of: { kind: 'projection', dimension: 4, seed: 1 },
      },
    ]);
    const two = { residual: '20', projection: '4', tangent: '8' };
    expect(() => featuresOf(two)).toThrow(/one feature map at most/);
    for (const wrong of ['0', '20,contacts=0', '20,contacts=11', '20,contacts=x', '5001']) {
      expect(() => featuresOf({ residual: wrong })).toThrow(/--residual must be a dimension/);
    }
  });

  it('run all planned contacts over files, and the model goes on from there', async () => {
    const root = temporaryFolder();
    const { study, table } = unitsLayers;
    const path = (name: string) => join(root, name);
    const names = Object.keys(table.cells);
    const lines = everyRow(table).map((r) =>
      names
        .map((name) => (name === 'g' ? 'abc'[table.cells.g[r]] : table.cells[name][r]))
        .join(','),
    );
    const files = [0, 1, 2].map((k) => {
      const part = lines.slice(50 * k, 50 * k + 50);
      writeFileSync(path(`${k}.csv`), `${names.join(',')}\n${part.join('\n')}\n`);
      return path(`${k}.csv`);
    });
    writeFileSync(path('codebook.json'), JSON.stringify(study.codebook));
    const [model, next] = [path('model.json'), path('next.json')];
    const { dimension, seed } = layersOf(study);
    const fit = await suffice(
      ...['fit', study.formula, ...files, '--codebook', path('codebook.json'), '--ridge', '2'],
      ...[
        '--residual',
        `${dimension},contacts=3,seed=${seed}`,
        '--save-model',
        model,
        '--threads',
        '1',
      ],
    );
    expect([fit.code, fit.stdout]).toEqual([0, expect.stringContaining('contact 3: error by GCV')]);
    const { report } = JSON.parse(readFileSync(model, 'utf8'));
    const pooled = contactsOver(unitsLayers, [everyRow(table)])[2];
    expect([report.residual.layers, report.terms[0].estimate]).toEqual([
      layersOf(pooled.study).layers,
      pooled.report.terms![0].estimate,
    ]);
    const refined = await suffice('study', 'refine', model, '--out', next);
    expect([refined.code, refined.stdout]).toEqual([
      0,
      expect.stringContaining('contact 4: exact sums over the columns so far and 6 hidden columns'),
    ]);
    const asked = parseStudy(JSON.parse(readFileSync(next, 'utf8'))) as TableStudy;
    expect(layersOf(asked).layers).toHaveLength(3);
    // Nobody vouches for a model without a coordinator's seal.
    expect(layersOf(asked)).not.toHaveProperty('from');
    const out = path('sent.suffice');
    const sent = await suffice(
      'contribute',
      next,
      files[0],
      '--out',
      out,
      '--home',
      path('home'),
      '--yes',
    );
    expect([sent.code, existsSync(out)]).toEqual([5, false]);
    expect(sent.stderr + sent.stdout).toContain('made up to single out a row');
  });
});

describe('residual layers are refused', () => {
  const { study, table } = unitsLayers;
  const report = reportOver(study, table, [everyRow(table)]);
  const second = nextContact(study, report);
  const refused = (changed: Study) => () => agreement(changed);

  it.each([
    [
      'under differential privacy',
      { ...study, privacy: { epsilon: 1, delta: 1e-6, unit: 'row' } },
      /not offered for a feature map that goes on/,
    ],
    [
      'by a logistic regression, if they are there already',
      {
        ...second,
        formula: 'I(z > 7) ~ kg + year + g',
        fusion: { kind: 'glm', family: 'binomial' },
      },
      /only a linear regression goes on with layers/,
    ],
    [
      'by averaged estimates, if they are there already',
      { ...second, fusion: { kind: 'average' } },
      /only a linear regression goes on with layers/,
    ],
    [
      'for another base',
      {
        ...second,
        features: [{ ...layersOf(second), of: { kind: 'projection', dimension: 2, seed: 1 } }],
      },
      /layer 1 of the study does not fit 2 columns/,
    ],
    [
      'if a layer has more steps than X has columns',
      {
        ...second,
        features: [
          {
            ...{ ...layersOf(second), of: { kind: 'projection', dimension: 2, seed: 1 } },
            layers: [
              {
                hidden: numbersText(new Float64Array(3 * (1 + layersOf(second).dimension))),
                output: numbersText(new Float64Array(3 * 2)),
              },
            ],
          },
        ],
      },
      /layer 1 of the study does not fit 2 columns/,
    ],
  ] as const)('%s', (_, changed, words) => {
    expect(refused(changed as TableStudy)).toThrow(DataError);
    expect(refused(changed as TableStudy)).toThrow(words);
  });

  const zeroed = (kept: RegExp): Report => ({
    ...report,
    terms: report.terms!.map((row) => (kept.test(row.term) ? row : { ...row, estimate: 0 })),
  });
  const narrow: TableStudy = { ...classLayers.study, formula: 'kind ~ x1', features: [] };
  const one = { ...narrow, features: [{ kind: 'residual', dimension: 3, seed: 1 }] } as TableStudy;

  it.each([
    ['if X has no coefficients', study, zeroed(/^residual([5-9]|10)$/), /no coefficients/],
    [
      'if X is too narrow',
      one,
      reportOver(one, classLayers.table, [everyRow(classLayers.table)]),
      /1 column cannot carry the fit of 3 responses/,
    ],
    [
      'after ten contacts',
      {
        ...study,
        features: [
          {
            ...layersOf(study),
            layers: Array.from({ length: 9 }, () => layersOf(second).layers![0]),
          },
        ],
      } as TableStudy,
      report,
      /at most 10 contacts/,
    ],
  ] as const)('in the next contact %s', (_, from, given, words) => {
    expect(nextRound(from, given)).toMatchObject({ problem: expect.stringMatching(words) });
  });

  it('by a site, unless a coordinator vouches for them', () => {
    const rule = (from?: { readonly study: string; readonly total: string }) => {
      const features = [{ ...layersOf(second), ...(from && { from }) }];
      const { fusion } = study;
      return ruleOf(audited(table, study.formula, undefined, {}, { fusion, features }), 'R6');
    };
    const digest = `sha256:${'0'.repeat(64)}`;
    const madeUp = rule();
    expect(madeUp.outcome).toBe('block');
    expect(JSON.stringify(madeUp.verdicts)).toContain('made up to single out a row');
    expect(JSON.stringify(rule({ study: digest, total: digest }))).not.toContain('made up');
  });
});
