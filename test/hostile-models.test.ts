import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerText } from '../src/analysis/answer-text.ts';
import { htmlReport } from '../src/export/html-report.ts';
import { modelJson } from '../src/export/model-json.ts';
import { onnx } from '../src/export/onnx.ts';
import { pythonSnippet } from '../src/export/python-snippet.ts';
import { rSnippet } from '../src/export/r-snippet.ts';
import { comment, finiteOnly, quoted } from '../src/export/snippet-text.ts';
import { glanceCsv, tidyCsv } from '../src/export/tidy-csv.ts';
import { FailureError } from '../src/failure.ts';
import { createPredictor } from '../src/model/predict.ts';
import { reportText } from '../src/model/report-text.ts';
import { type ParsedModel, parsedModel } from '../src/node/files/parsed-model.ts';
import { posteriorsOf } from '../src/rows/predict.ts';
import { escapeHtml } from '../src/text/html-text.ts';
import { plainInk } from '../src/text/text-table.ts';
import { chance } from './chance.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import {
  bareCode,
  changedAt,
  type Json,
  kinds,
  MARKER,
  markers,
  placesIn,
  siteFiles,
} from './hostile-models.ts';

const folder = temporaryFolder();
const models = new Map<string, Json>();

beforeAll(async () => {
  const files = siteFiles(folder);
  for (const [name, [formula, ...flags]] of kinds) {
    const path = join(folder, `${name}.json`);
    const { code, stderr } = await suffice(
      'fit',
      formula!,
      ...files,
      ...flags,
      '--save-model',
      path,
    );
    expect(code, stderr).toBe(0);
    models.set(name, JSON.parse(readFileSync(path, 'utf8')));
  }
});

/** What is made of a model, and what of it is code. */
const writers: readonly (readonly [string, (model: ParsedModel) => string])[] = [
  ['python', (model) => bareCode(pythonSnippet(model))],
  ['r', (model) => bareCode(rSnippet(model))],
  ['html', (model) => htmlReport(model).match(/<img.*/)?.[0] ?? ''],
  ['json', (model) => JSON.parse(modelJson(model)).schema],
  ['csv', (model) => tidyCsv(model.report) && ''],
  ['glance', (model) => glanceCsv(model.report) && ''],
  ['onnx', (model) => onnx(model) && ''],
  ['text', (model) => reportText(model.report, plainInk) && ''],
  ['answers', ({ answers = [] }) => answers.map((one) => answerText(one, plainInk)).join() && ''],
  [
    'predictor',
    ({ study, report, answers = [] }) =>
      createPredictor(study, report, posteriorsOf({ answers })) && '',
  ],
];

/** Code of the marker that got through; the JSON is refused, or written by every writer without it. */
function hostile(json: Json): { readonly refused: boolean; readonly faults: readonly string[] } {
  const model = refusedBy(() => parsedModel(json, 'model.json'));
  if (typeof model === 'string')
    return { refused: model === 'refused', faults: model === 'refused' ? [] : [model] };
  const faults = writers.flatMap(([name, write]) => {
    const written = refusedBy(() => write(model));
    if (written === 'refused') return [];
    return /__import__|system\(|<img|this is a bug|\n {4}at /.test(written)
      ? [`${name}: ${written.slice(0, 300)}`]
      : [];
  });
  return { refused: false, faults };
}

/** The result; `refused` for a failure that has a problem and a remedy; the stack of any other. */
function refusedBy<T>(work: () => T): T | string {
  try {
    return work();
  } catch (failure) {
    if (failure instanceof FailureError || (failure as Error).name === 'ZodError') return 'refused';
    return `this is a bug: ${(failure as Error).stack}`;
  }
}

const CASES = enduring ? 20_000 : 40;

describe('a model file from elsewhere', () => {
  it('passes as it was written', () => {
    for (const [name, json] of models) {
      const { answers = [] } = parsedModel(json, name);
      const lost = answers.filter((answer) => 'problem' in answer && /whole/.test(answer.problem));
      expect(lost, name).toEqual([]);
      expect(hostile(json), name).toEqual({ refused: false, faults: [] });
    }
  });

  it('is written where an answer has no rows', () => {
    for (const [name, json] of models) {
      const places = placesIn(json).filter(
        ([part, , last]) => part === 'answers' && last === 'rows',
      );
      for (const place of places.filter(({ length }) => length === 3)) {
        expect(hostile(changedAt(json, place, [])).faults, `${name} ${place.join('.')}`).toEqual(
          [],
        );
      }
    }
  });

  it(`never becomes code, and never ends a command without a reason: ${CASES} cases`, () => {
    const { below } = chance(17);
    const all = [...models].map(([name, json]) => ({ name, json, places: placesIn(json) }));
    let refused = 0;
    for (let k = 0; k < CASES; k++) {
      const { name, json, places } = all[k % all.length]!;
      const place = places[below(places.length)]!;
      const [what, value] = markers[below(markers.length)]!;
      const found = hostile(changedAt(json, place, value));
      expect(found.faults, `${name}: ${what} at ${place.join('.')}`).toEqual([]);
      if (found.refused) refused++;
    }
    expect(refused).toBeGreaterThan(CASES / 10);
    expect(refused).toBeLessThan(CASES);
  });

  it.each([
    [
      'code in a coefficient of the original columns',
      'a projection',
      ['report', 'original', '1', 'estimate'],
      MARKER,
    ],
    [
      'a list for the name of a site',
      'fixed site effects',
      ['report', 'sites', '0', 'name'],
      [MARKER],
    ],
    [
      'an object for the name of a site',
      'fixed site effects',
      ['report', 'sites', '0', 'name'],
      { length: 1e9 },
    ],
    ['a formula that cannot be read', 'a lasso', ['study', 'formula'], `y ~ ${MARKER}`],
    ['a report without coefficients', 'a lasso', ['report', 'terms'], null],
  ] as const)('%s is refused: exit 3, a message, no file', async (name, kind, place, value) => {
    const path = join(folder, 'hostile.json');
    writeFileSync(path, JSON.stringify(changedAt(models.get(kind)!, place, value)));
    for (const format of ['python', 'r', 'html', 'json', 'csv', 'glance', 'onnx']) {
      const { code, stdout, stderr } = await suffice('export', path, '--format', format);
      expect([code, stdout], `${name} as ${format}: ${stderr}`).toEqual([3, '']);
      expect(stderr).toMatch(/^suffice: .*\n {2}→ .*\n$/s);
      expect(stderr).not.toMatch(/\n {4}at |this is a bug/);
    }
  });

  it('has an answer that is not whole told as no answer', async () => {
    const json = models.get('least squares')!;
    const answers = (json as { answers: readonly { about: string }[] }).answers;
    const place = [
      'answers',
      String(answers.findIndex(({ about }) => about === 'heterogeneity')),
      'terms',
      '0',
      'sites',
      '0',
      'site',
    ];
    const path = join(folder, 'half.json');
    writeFileSync(path, JSON.stringify(changedAt(json, place, { length: 1e9 })));
    const { code, stdout } = await suffice('export', path, '--format', 'html');
    expect(code).toBe(0);
    expect(stdout).toContain('the file does not hold the whole answer');
  });
});

describe('writers of source code and pages', () => {
  it.each<[string, () => string | number]>([
    ['a number that is a text', () => finiteOnly('1' as never)],
    ['a number that is not finite', () => finiteOnly(Number.POSITIVE_INFINITY)],
    ['a literal of a list', () => quoted(['x'] as never)],
    ['a comment of an object', () => comment({ replace: 1 } as never)],
    ['a page with a list', () => escapeHtml(['<b>'] as never)],
  ])('refuse %s', (_, write) => {
    expect(write).toThrow(RangeError);
  });

  it('take texts and finite numbers', () => {
    expect([finiteOnly(-1.5), quoted('a"b'), comment('a\nb'), escapeHtml('<b>')]).toEqual([
      -1.5,
      '"a\\"b"',
      '# a b',
      '&lt;b&gt;',
    ]);
  });
});
