import {
  classCounter,
  type EvaluationCounts,
  isEvaluationCounts,
} from '../analysis/evaluation-counts.ts';
import { DataError } from '../data-error.ts';
import { thresholdsOf } from '../disclosure/profile.ts';
import { createDesign, type Design } from '../features/design.ts';
import { agreement } from '../federate.ts';
import { modelDesign, responsesOfFamily } from '../model/model-design.ts';
import { Refusal } from '../protocol/refusal.ts';
import { type PredictRequest, posteriorsOf, predictRows } from '../rows/predict.ts';
import { completeRows } from '../statistic/complete-rows.ts';
import { parseFormula } from '../study/formula.ts';
import { studyDigest, type TableStudy } from '../study/study.ts';
import type { Block, Origin } from '../table/columns.ts';
import { nodeHost } from './host.ts';
import { readJson } from './json-file.ts';
import type { ModelFile } from './model-file.ts';
import { UsageError } from './usage-error.ts';

/** Rows to hold a model against; `bins` where fewer are wanted than the study allows. */
export interface EvaluateRequest extends PredictRequest {
  readonly model: ModelFile;
  readonly bins?: number;
}

/** No count below this is told: as the study says and as its disclosure rules have it, whichever is stricter. */
function smallestCount({ evaluation, disclosure }: TableStudy): number {
  const standard = thresholdsOf(disclosure);
  const { smallest = USUAL } = evaluation ?? {};
  return standard === 'none' ? smallest : Math.max(smallest, standard.thresholds.cell);
}

const USUAL = 5;

/** Counts how a model does on the rows of a file, and nothing else; refused where the study does not allow it. */
export async function countFile(
  request: EvaluateRequest,
): Promise<{ readonly counts: EvaluationCounts; readonly dropped: number }> {
  const {
    model,
    file: { path },
  } = request;
  const { study, report } = model;
  const terms = study.evaluation;
  if (terms === undefined) {
    throw new Refusal(
      'not-allowed',
      'the study does not allow its model to be evaluated at the sites',
      'agree on a study with "evaluation": { "bins": 20 }',
    );
  }
  if (agreement(study).method.noise !== undefined) {
    throw new Refusal(
      'not-allowed',
      'the study is private, and exact counts of its rows would break its promise',
      'hold the model against rows that are public',
    );
  }
  const bins = request.bins ?? terms.bins;
  if (bins < 2) {
    const remedy = `ask for 2 to ${terms.bins}, or take those of the study`;
    throw new UsageError('fewer than 2 bins count nothing', remedy, { name: 'bins', off: true });
  }
  if (bins > terms.bins) {
    throw new Refusal(
      'not-allowed',
      `the study allows ${terms.bins} bins, not ${bins}`,
      'ask for fewer, or take those of the study',
      { name: 'bins', off: true },
    );
  }
  const target = targetOf(model);
  const { levels } = target;
  const counter = classCounter(levels, bins);
  let rows = 0;
  let counted = 0;
  const scored = await predictRows(
    request,
    nodeHost,
    (predictions, names, _, beside, firstRow) => {
      const at = (name: string) => predictions[names.indexOf(name)];
      const shares = target.single
        ? [undefined, at('.fitted')]
        : levels.map((level) => at(`.${target.scores}.${level}`));
      const predicted = target.single
        ? at('.fitted').map((p) => (Number.isNaN(p) ? p : Number(p > 0.5)))
        : at('.class');
      rows += predicted.length;
      const origin = { file: path, rowOf: (r: number) => firstRow + r };
      for (const { row, actual } of target.classesOf(
        { rows: predicted.length, columns: beside },
        origin,
      )) {
        if (Number.isNaN(predicted[row])) continue;
        counted++;
        counter.count(actual, predicted[row], (level) => shares[level]![row]);
      }
    },
    { beside: target.variables },
  );
  if (counted === 0) {
    throw new DataError(
      scored.rows === 0 ? 'no data rows' : 'every row lacks a cell the model or its response needs',
      { file: path },
      'give held-out rows that have the response too',
    );
  }
  const smallest = smallestCount(study);
  const told = counter.finish(smallest);
  if ('problem' in told) throw new Refusal('not-allowed', told.problem, told.remedy, told.option);
  const { label, scores } = target;
  return {
    counts: {
      schema: 'suffice/evaluation@1',
      model: report.digest,
      study: studyDigest(study),
      label,
      levels,
      scores,
      bins,
      smallest,
      ...told,
    },
    dropped: rows - counted,
  };
}

/** The counts in a file that `suffice evaluate --out` wrote; undefined where it holds something else. */
export function readCounts(path: string, model: ModelFile): EvaluationCounts {
  const json = readJson(path);
  if (!isEvaluationCounts(json)) {
    throw new DataError(
      'the file holds no counts of an evaluation',
      { file: path },
      'give what an evaluation of the model wrote',
      { name: 'counts' },
    );
  }
  if (json.model !== model.report.digest || json.study !== studyDigest(model.study)) {
    throw new Refusal(
      'conflict',
      `${path} was counted with another model`,
      'have the site evaluate this model',
    );
  }
  return json;
}

/** What the model is held against: the classes of a row as the formula's left side gives them. */
interface Target {
  readonly label: string;
  readonly levels: readonly string[];
  readonly scores: 'probability' | 'score';
  /** Whether `.fitted` is the probability of the second level. */
  readonly single: boolean;
  readonly variables: readonly string[];
  /** The rows that have a class. */
  classesOf(block: Block, origin: Origin): Iterable<{ row: number; actual: number }>;
}

function targetOf(model: ModelFile): Target {
  const { study, report } = model;
  const formula = parseFormula(study.formula);
  const own = modelDesign(study, report);
  const single = report.family === 'binomial' && own.responses === 1;
  const zeroOne = { label: formula.responseLabel, levels: ['0', '1'], columns: [0] };
  const classes = single && own.classes.length === 0 ? [zeroOne] : own.classes;
  if (report.family === 'poisson' || classes.length === 0) {
    throw new UsageError(
      'the model predicts numbers, and only classes can be evaluated by counts',
      'its report has R² and, with left-out sites, the error of prediction',
    );
  }
  if (classes.length > 1) {
    throw new UsageError(
      `the model has several classes: ${classes.map(({ label }) => label).join(', ')}`,
      'evaluate a model of one category',
    );
  }
  const { label, levels, columns } = classes[0];
  const posterior = posteriorsOf(model).some((one) => one.label === label);
  const alone = createDesign(
    { ...formula, right: { kind: 'number', value: 1, position: formula.right.position } },
    study.codebook,
    { responses: responsesOfFamily(report.family) },
  );
  return {
    label,
    levels,
    single,
    scores: single || posterior ? 'probability' : 'score',
    variables: alone.variables,
    classesOf: (block, origin) => classesOf(alone, columns, block, origin),
  };
}

function* classesOf(
  design: Design,
  columns: readonly number[],
  block: Block,
  origin: Origin,
): Iterable<{ row: number; actual: number }> {
  const { block: complete, origin: kept } = completeRows(block, () => {});
  const rowOf = (r: number) => kept?.[r] ?? r;
  const hi = design.columns.map(() => new Float64Array(complete.rows));
  const lo = design.needsLow.map((needed) =>
    needed ? new Float64Array(complete.rows) : undefined,
  );
  const place = { file: origin.file, rowOf: (r: number) => origin.rowOf(rowOf(r)) };
  design.evaluate(complete, place, hi, lo);
  const indicators = columns.map((column) => hi[design.columns.length - design.responses + column]);
  for (let r = 0; r < complete.rows; r++) {
    const actual =
      indicators.length === 1
        ? indicators[0][r]
        : indicators.findIndex((indicator) => indicator[r] === 1);
    if (actual !== 0 && indicators.length === 1 && actual !== 1) {
      throw new DataError(
        'the response is neither 0 nor 1',
        { file: origin.file, row: place.rowOf(r) },
        'a logistic model is evaluated on single outcomes',
      );
    }
    yield { row: rowOf(r), actual };
  }
}
