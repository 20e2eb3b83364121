import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExportedModel } from '../src/export/exported-model.ts';
import { pythonSnippet } from '../src/export/python-snippet.ts';
import { rSnippet } from '../src/export/r-snippet.ts';
import { createPredictor } from '../src/model/predict.ts';
import { perceptron } from '../src/network/known-networks.ts';
import { temporaryFolder } from './cli.ts';
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
import { python, rscript } from './other-languages.ts';
import { expectRelative } from './relative.ts';
import type { Table } from './tables.ts';

interface Asked {
  readonly what: string;
  readonly model: ExportedModel;
  readonly table: Table;
  /** Largest relative error; 1e-12 unless given. */
  readonly precision?: number;
}

const linked = modelOf('z ~ a*g');
const holes = withHoles(sampleTable, ['a', 'p', 'g', 'k']);
const asked: readonly Asked[] = [
  ...formulas.map(([what, formula]) => ({ what, model: modelOf(formula), table: sampleTable })),
  ...mappedModels.map(([what, model]) => ({ what, model, table: holes })),
  { what: 'a map and sites', model: mappedWithSites, table: siteTable },
  {
    what: 'a network, which computes in single precision',
    model: tableNetwork('cbind(y, z) ~ a*g + log(p) + factor(k)', perceptron(5, 4)),
    table: holes,
    precision: 1e-5,
  },
  { what: 'projections', model: projectedModel(), table: holes },
  { what: 'missing cells', model: modelOf('y ~ I(a > 0.5) + p + g + factor(k)'), table: holes },
  {
    what: 'hostile comments',
    model: {
      study: { ...linked.study, name: 'x\nstop("no")\r\u2028raise SystemExit' },
      report: linked.report,
    },
    table: sampleTable,
  },
];

/** Predictions by response and row; null where there is none. */
type Predicted = readonly (readonly (number | null)[])[];

function expectSame(got: readonly Predicted[]): void {
  expect(got).toHaveLength(asked.length);
  asked.forEach(({ what, model, table, precision = 1e-12 }, k) => {
    const expected = predictions(model, table);
    expect(got[k], what).toHaveLength(expected.length);
    expected.forEach((column, response) => {
      expect(got[k][response], what).toHaveLength(table.rows);
      column.forEach((value, r) => {
        const ours = got[k][response][r];
        if (Number.isNaN(value)) expect(ours, what).toBeNull();
        else expectRelative(ours, value, precision, `${what}, row ${r}`);
      });
    });
  });
}

function columnsOf({ study, report }: ExportedModel, table: Table) {
  const { variables } = createPredictor(study, report);
  // A model of an intercept alone still wants to know how many rows there are.
  const names = variables.length === 0 ? ['a'] : variables;
  return names.map((name) => ({ name, cells: plainCells(table, name) }));
}

/** Code, the data to give it, and what to ask of it if not the predictions. */
interface Program {
  readonly code: string;
  readonly data: unknown;
  readonly ask?: string;
}

const folder = temporaryFolder();
const classified = [
  ...classifiers.map(([, formula, fusion]) => modelOf(formula, { fusion })),
  tableNetwork('g ~ a + p + h', perceptron(6)),
];
/** A network computes in single precision. */
const precisions = [...classifiers.map(() => 1e-11), 1e-5];

/** Probabilities of the levels, then the index of the class, as another program has them. */
function expectClasses(got: readonly Predicted[]): void {
  classified.forEach((model, k) => {
    const { shares, chosen } = classPredictions(model, sampleTable);
    expect(got[k].at(-1)).toEqual([...chosen[0]]);
    shares.forEach((column, level) => {
      column.forEach((p, r) => {
        expectRelative(got[k][level][r], p, precisions[k], `level ${level}, row ${r}`);
      });
    });
  });
}

describe.runIf(python !== undefined)('Python code', () => {
  const run = (programs: readonly Program[]): unknown => {
    const program = `
import json, sys
answers = []
for one in json.load(sys.stdin):
    space = {}
    exec(one["code"], space)
    try:
        got = eval(one.get("ask", "predict_suffice(data)"), dict(space, data=one["data"]))
    except ValueError as problem:
        got = str(problem)
    if isinstance(got, list): got = [got]
    if isinstance(got, dict): got = list(got.values())
    if not isinstance(got, str): got = [[None if v != v else v for v in c] for c in got]
    answers.append(got)
print(json.dumps(answers))`;
    return JSON.parse(python!(['-c', program], JSON.stringify(programs)));
  };
  const dataOf = (model: ExportedModel, table: Table) =>
    Object.fromEntries(
      columnsOf(model, table).map(({ name, cells }) => [
        name,
        cells.map((cell) => (Number.isNaN(cell) ? null : (cell ?? null))),
      ]),
    );

  it('predicts as suffice predict does, to 1e-12', () => {
    const programs = asked.map(({ model, table }) => ({
      code: pythonSnippet(model),
      data: dataOf(model, table),
    }));
    expectSame(run(programs) as Predicted[]);
  });

  it('gives the mean of a model with a link, and the link', () => {
    const report = { ...linked.report, family: 'binomial' as const };
    const code = pythonSnippet({ study: linked.study, report });
    const data = dataOf(linked, sampleTable);
    const [mean, link] = run([
      { code, data },
      { code, data, ask: 'predict_suffice(data, kind="link")' },
    ]) as number[][][];
    predictions(linked, sampleTable)[0].forEach((eta, r) => {
      expectRelative(link[0][r], eta, 1e-12, 'link');
      expectRelative(mean[0][r], 1 / (1 + Math.exp(-eta)), 1e-12, 'mean');
    });
  });

  it('gives the classes and probabilities of suffice predict', () => {
    const programs = classified.map((model) => ({
      code: pythonSnippet(model),
      data: dataOf(model, sampleTable),
      ask: '(lambda got: dict(got["probability"], chosen=[list(got["probability"]).index(c) for c in got["class"]]))(classify_suffice(data))',
    }));
    expectClasses(run(programs) as Predicted[]);
  });

  it('refuses a level the model does not know', () => {
    const code = pythonSnippet(modelOf('y ~ g'));
    expect(run([{ code, data: { g: ['lo', 'other'] } }])).toEqual([
      'g has a level the model does not know',
    ]);
  });

  it('is ASCII outside comments', () => {
    for (const { model } of asked) {
      const lines = pythonSnippet(model).split('\n');
      const code = lines.map((line) => line.replace(/(^|\s)# .*/u, ''));
      expect(code.join('\n')).toMatch(/^\p{ASCII}*$/u);
    }
  });
});

describe.runIf(rscript !== undefined)('R code', () => {
  const cellText = (cell: number | string | undefined) => {
    if (cell === undefined || Number.isNaN(cell)) return 'NA';
    return typeof cell === 'string' ? JSON.stringify(cell) : `${cell}`;
  };
  const call = (model: ExportedModel, table: Table) => {
    const columns = columnsOf(model, table);
    const lists = columns.map(({ cells }) => `c(${cells.map(cellText).join()})`);
    const names = columns.map(({ name }) => JSON.stringify(name)).join();
    return `data <- structure(list(${lists.join()}), names = c(${names}), row.names = seq_len(${table.rows}), class = "data.frame")`;
  };
  const show =
    'cat(paste(apply(as.matrix(p), 2, function(v) paste(sprintf("%.17g", v), collapse = ",")), collapse = ";"), "\\n")';
  const run = (lines: readonly string[]): Predicted[] => {
    const path = join(folder, 'predict.R');
    writeFileSync(path, lines.join('\n'));
    const printed = rscript!(['--vanilla', '--encoding=UTF-8', path]).trim().split('\n');
    return printed.map((line) =>
      line
        .split(';')
        .map((column) =>
          column.split(',').map((v) => (Number.isFinite(Number(v)) ? Number(v) : null)),
        ),
    );
  };

  it('predicts as suffice predict does, to 1e-12', () => {
    const lines = asked.flatMap(({ model, table }) => [
      rSnippet(model),
      call(model, table),
      'p <- predict_suffice(data)',
      show,
    ]);
    expectSame(run(lines));
  });

  it('gives the mean of a model with a link, and the link', () => {
    const report = { ...linked.report, family: 'poisson' as const };
    const [[mean], [link]] = run([
      rSnippet({ study: linked.study, report }),
      call(linked, sampleTable),
      'p <- predict_suffice(data)',
      show,
      'p <- predict_suffice(data, type = "link")',
      show,
    ]);
    predictions(linked, sampleTable)[0].forEach((eta, r) => {
      expectRelative(link[r], eta, 1e-12, 'link');
      expectRelative(mean[r], Math.exp(eta), 1e-12, 'mean');
    });
  });

  it('gives the classes and probabilities of suffice predict', () => {
    const lines = classified.flatMap((model) => [
      rSnippet(model),
      call(model, sampleTable),
      'got <- classify_suffice(data)',
      'p <- cbind(got$probability, match(got$class, colnames(got$probability)) - 1)',
      show,
    ]);
    expectClasses(run(lines));
  });

  it('takes factors, and refuses a level the model does not know', () => {
    const model = modelOf('y ~ g + factor(k)');
    const asked = (g: string, k: number) =>
      `tryCatch({ p <- predict_suffice(data.frame(g = factor("${g}"), k = ${k})); cat("fine\\n") }, error = function(e) cat(conditionMessage(e), "\\n"))`;
    const path = join(folder, 'levels.R');
    writeFileSync(
      path,
      [rSnippet(model), asked('lo', 1), asked('other', 1), asked('lo', 9)].join('\n'),
    );
    const printed = rscript!(['--vanilla', path]).trim().split(/\s*\n/);
    expect(printed).toEqual([
      'fine',
      'g has a level the model does not know',
      'k has a level the model does not know',
    ]);
  });
});
