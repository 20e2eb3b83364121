import type { SiteCounts } from '../../analysis/evaluation.ts';
import { classCounter } from '../../analysis/evaluation-counts.ts';
import { MOST_HISTOGRAMS, manyClassCounter } from '../../analysis/many-class-counts.ts';
import { isSiteCounts } from '../../analysis/site-counts.ts';
import { DataError } from '../../data-error.ts';
import { type Standard, standardOf, stricter, thresholdsOf } from '../../disclosure/profile.ts';
import type { SiteRules } from '../../disclosure/site-rules.ts';
import { createDesign, type Design } from '../../features/design.ts';
import { agreement } from '../../federate.ts';
import { modelDesign, responsesOfFamily } from '../../model/model-design.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { joinUsed } from '../../rows/inspection.ts';
import { hasProbabilities, type PredictRequest, predictRows } from '../../rows/predict.ts';
import type { Source } from '../../rows/source.ts';
import { completeRows } from '../../statistic/complete-rows.ts';
import { parseFormula } from '../../study/formula.ts';
import { studyDigest, type TableStudy } from '../../study/study.ts';
import { tableStudy } from '../../study/table-study.ts';
import type { Block, Origin } from '../../table/columns.ts';
import { UsageError } from '../../usage-error.ts';
import { nodeHost } from '../compute/host.ts';
import { readJson } from '../files/json-file.ts';
import type { ModelFile } from '../files/model-file.ts';

/** Evaluates a model on the rows of a file; `bins` asks for fewer bins than the study allows. */
export interface EvaluateRequest extends PredictRequest {
  readonly model: ModelFile;
  readonly bins?: number;
  /** The site's own disclosure rules; the default profile unless given. */
  readonly own?: readonly SiteRules[];
}

/**
 * The limits for counts: the stricter ones of the site's rules and the study's. A model file may come from anyone, so it can
 * only ask for more than the site does.
 */
export function countingStandard(
  { disclosure }: Pick<TableStudy, 'disclosure'>,
  own: readonly SiteRules[] = [],
): Standard {
  const kept = thresholdsOf({ profile: 'none' }, ...own);
  const site = kept === 'none' ? standardOf({}) : kept;
  const study = thresholdsOf(disclosure);
  if (study === 'none') return site;
  return { ...site, thresholds: stricter(site.thresholds, study.thresholds) };
}

/** Counts of a file, and which of its rows were counted. */
export interface CountedFile {
  readonly counts: SiteCounts;
  readonly dropped: number;
  /** For each row of the file, in order: 1 where it was counted, else 0. */
  readonly used: Uint8Array;
  readonly source: Source;
}

/** Evaluates a model on the rows of a file, by counts only; refuses if the study does not allow it. */
export async function countFile(request: EvaluateRequest): Promise<CountedFile> {
  const {
    model,
    file: { path },
  } = request;
  const { study, report } = model;
  const terms = study.evaluation;
  if (terms === undefined) {
    throw new Refusal(
      'not-allowed',
      'the study does not allow sites to evaluate its model',
      'ask for a study with "evaluation": { "bins": 20 }',
    );
  }
  if (agreement(study).method.noise !== undefined) {
    throw new Refusal(
      'not-allowed',
      'the study is private, and exact counts of its rows would break its privacy',
      'evaluate the model on public rows',
    );
  }
  const bins = request.bins ?? terms.bins;
  if (bins < 2) {
    const remedy = `ask for 2 to ${terms.bins} bins, or use those of the study`;
    throw new UsageError('fewer than 2 bins count nothing', remedy, { name: 'bins', off: true });
  }
  if (bins > terms.bins) {
    throw new Refusal(
      'not-allowed',
      `the study allows ${terms.bins} bins, not ${bins}`,
      'ask for fewer bins, or use those of the study',
      { name: 'bins', off: true },
    );
  }
  const target = targetOf(model);
  const { levels } = target;
  const isMany = levels.length > MOST_HISTOGRAMS;
  const counter = isMany ? manyClassCounter(levels, bins) : classCounter(levels, bins);
  const used: Uint8Array[] = [];
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
      const usedHere = new Uint8Array(predicted.length);
      used.push(usedHere);
      const origin = { file: path, rowOf: (r: number) => firstRow + r };
      for (const { row, actual } of target.classesOf(
        { rows: predicted.length, columns: beside },
        origin,
      )) {
        if (Number.isNaN(predicted[row])) continue;
        counted++;
        usedHere[row] = 1;
        counter.count(actual, predicted[row], (level) => shares[level]![row]);
      }
    },
    { beside: target.variables },
  );
  if (counted === 0) {
    throw new DataError(
      scored.rows === 0
        ? 'no data rows'
        : 'every row has a missing cell in a column of the model or its response',
      { file: path },
      'give held-out rows with the response',
    );
  }
  const { cell } = countingStandard(study, request.own).thresholds;
  const smallest = Math.max(cell, terms.smallest ?? 0);
  const shown = counter.finish(smallest);
  if ('problem' in shown) {
    throw new Refusal('not-allowed', shown.problem, shown.remedy, shown.option);
  }
  const { label, scores } = target;
  const head = {
    model: report.digest,
    study: studyDigest(study),
    label,
    levels,
    scores,
    bins,
    smallest,
  };
  return {
    counts:
      'classes' in shown
        ? { schema: 'suffice/evaluation@2', ...head, ...shown }
        : { schema: 'suffice/evaluation@1', ...head, ...shown },
    dropped: scored.rows - counted,
    used: joinUsed(used),
    source: scored.source,
  };
}

/** The counts in a file from `suffice evaluate --out`; refuses other files, and counts of another model. */
export function readCounts(path: string, model: ModelFile): SiteCounts {
  const json = readJson(path);
  if (!isSiteCounts(json)) {
    throw new DataError(
      'the file has no counts of an evaluation',
      { file: path },
      'give a file that an evaluation of the model wrote',
      { name: 'counts' },
    );
  }
  if (json.model !== model.report.digest || json.study !== studyDigest(model.study)) {
    throw new Refusal(
      'conflict',
      `${path} is the evaluation of another model`,
      'ask the site to evaluate this model',
    );
  }
  return json;
}

/** The classes to compare predictions with, from the left side of the formula. */
interface Target {
  readonly label: string;
  readonly levels: readonly string[];
  readonly scores: 'probability' | 'score';
  /** Whether `.fitted` is the probability of the second level. */
  readonly single: boolean;
  readonly variables: readonly string[];
  /** The rows with a known class. */
  classesOf(block: Block, origin: Origin): Iterable<{ row: number; actual: number }>;
}

function targetOf(model: ModelFile): Target {
  const { report } = model;
  const study = tableStudy(model.study);
  const formula = parseFormula(study.formula);
  const own = modelDesign(study, report);
  const single = report.family === 'binomial' && own.responses === 1;
  const zeroOne = { label: formula.responseLabel, levels: ['0', '1'], columns: [0] };
  const classes = single && own.classes.length === 0 ? [zeroOne] : own.classes;
  if (report.family === 'poisson' || classes.length === 0) {
    throw new UsageError(
      'the model predicts numbers; only classes can be evaluated by counts',
      'see R² in its report and, with left-out sites, the prediction error',
    );
  }
  if (classes.length > 1) {
    throw new UsageError(
      `the model has several classes: ${classes.map(({ label }) => label).join(', ')}`,
      'evaluate a model of one category',
    );
  }
  const { label, levels, columns } = classes[0];
  const alone = createDesign(
    { ...formula, right: { kind: 'number', value: 1, position: formula.right.position } },
    study.codebook,
    { responses: responsesOfFamily(report.family) },
  );
  return {
    label,
    levels,
    single,
    scores: single || hasProbabilities(model, label) ? 'probability' : 'score',
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
        'give rows with single outcomes: 0 or 1',
      );
    }
    yield { row: rowOf(r), actual };
  }
}
