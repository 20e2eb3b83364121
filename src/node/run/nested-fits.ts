import { likelihoodRatio } from '../../analysis/likelihood-ratio.ts';
import type { Answered } from '../../analysis/question.ts';
import { agreement, regressionOf } from '../../federate.ts';
import type { Report } from '../../model/report.ts';
import { type GlmFusion, isFusion, type Study } from '../../study/study.ts';
import type { FitOutcome } from './fit-outcome.ts';

/** The rounds of a model from a start, until they have converged. */
export type RunRounds = (first: FitOutcome) => Promise<FitOutcome | undefined>;

/**
 * A converged logistic or Poisson regression with what only smaller models over the same rows tell: likelihood-ratio tests in
 * place of Wald tests, and the null deviance beside an offset. Each smaller model takes rounds of its own.
 */
export async function withNestedFits(full: FitOutcome, run: RunRounds): Promise<FitOutcome> {
  const { report, answers } = full;
  if (report.deviation?.converged !== true || report.ridge !== undefined) return full;
  const compared: Answered[] = [];
  for (const answer of answers) compared.push(await byLikelihood(full, answer, run));
  return { ...full, report: await withNullDeviance(full, run), answers: compared };
}

async function byLikelihood(full: FitOutcome, answer: Answered, run: RunRounds): Promise<Answered> {
  const { report } = full;
  if ('problem' in answer || answer.about !== 'comparison' || report.errors !== 'classical') {
    return answer;
  }
  const reduced = await without(full, columnsOf(full.study, answer.without), run);
  if (reduced?.glance === undefined || report.glance === undefined) return answer;
  return likelihoodRatio(answer, report.glance, reduced.glance) ?? answer;
}

/** Columns of these terms. */
function columnsOf(study: Study, labels: readonly string[]): string[] {
  const { design } = regressionOf(agreement(study));
  return design.terms
    .filter(({ label }) => labels.includes(label))
    .flatMap(({ columns }) => columns.map((index) => design.columns[index].name));
}

/** The converged report without some columns; undefined where there is none. */
async function without(
  { study, report }: FitOutcome,
  gone: readonly string[],
  run: RunRounds,
): Promise<Report | undefined> {
  const { fusion } = study;
  if (!isFusion<GlmFusion>(fusion, ['glm', 'fisher'])) return undefined;
  const terms = (report.terms ?? []).filter(({ term }) => !gone.includes(term));
  const first = {
    study: { ...study, fusion: { ...fusion, without: gone } },
    report: { ...report, terms },
    answers: [],
  };
  const found = (await run(first))?.report;
  return found?.deviation?.converged === true ? found : undefined;
}

/** Beside an offset, the intercept alone is a model to be fitted: its deviance, as R prints it. */
async function withNullDeviance(full: FitOutcome, run: RunRounds): Promise<Report> {
  const { study, report } = full;
  const { design, layout } = regressionOf(agreement(study));
  const { glance } = report;
  if (layout.offset !== true || glance?.deviance === undefined || !design.intercept) return report;
  const slopes = layout.columns.slice(1, -1);
  const nothing = slopes.length === 0 ? report : await without(full, slopes, run);
  const deviance = nothing?.glance?.deviance;
  if (deviance === undefined) return report;
  return { ...report, glance: { ...glance, 'null.deviance': deviance } };
}
