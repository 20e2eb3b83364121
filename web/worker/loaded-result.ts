import type { Answered } from '../../src/analysis/question.ts';
import type { ExportedModel } from '../../src/export/exported-model.ts';
import { type Agreement, agreement } from '../../src/federate.ts';
import { parseStudy } from '../../src/fusion/study-schema.ts';
import type { SiteFlag } from '../../src/model/site-flag.ts';
import type { SealedResolution } from '../../src/protocol/messages.ts';
import type { Statistic } from '../../src/statistic/statistic.ts';
import type { RidgeFusion } from '../../src/study/study.ts';
import { PageFailureError } from '../page-failure.ts';

/** A resolution in the worker. The page gets the numbers it shows; the sums stay here. */
export interface LoadedResult {
  readonly resolution: SealedResolution;
  readonly agreed: Agreement;
  /** The total, after it was fetched and its digest was checked against the signed one. */
  total?: Statistic;
  /** The coordinator's answers about single sites. */
  answers: readonly Answered[];
  flags: readonly SiteFlag[];
}

const held = new Map<string, LoadedResult>();

/** Keeps a resolution whose signature has been checked. */
export function keepResult(resolution: SealedResolution): LoadedResult {
  const key = keyOf(resolution.studyDigest, resolution.number);
  const known = held.get(key);
  if (known !== undefined) return known;
  // Parsed as the command line does it, so that exports are the same bytes.
  const agreed = agreement(parseStudy(resolution.study));
  const result: LoadedResult = { resolution, agreed, answers: [], flags: [] };
  held.set(key, result);
  return result;
}

/** The loaded resolution with this study and number. */
export function loadedResult(study: string, number: number): LoadedResult {
  const known = held.get(keyOf(study, number));
  if (known !== undefined) return known;
  throw new PageFailureError({
    kind: 'unexpected',
    problem: `resolution ${number} is no longer loaded`,
    remedy: 'reload the page',
  });
}

/** The same with its total. Throws if the total was not fetched. */
export function withTotal(
  study: string,
  number: number,
): LoadedResult & { readonly total: Statistic } {
  const result = loadedResult(study, number);
  if (result.total !== undefined) return { ...result, total: result.total };
  throw new PageFailureError({
    kind: 'unexpected',
    problem: 'the total of this resolution is not loaded',
    remedy: 'fetch it first; only the analyst can',
  });
}

/**
 * The study's method as far as the total alone allows: a penalty chosen by left-out sites becomes a number; clustered
 * errors and site intercepts are dropped.
 */
export function methodFromTotal({ resolution, agreed }: LoadedResult): RidgeFusion | undefined {
  return agreed.method.linear?.fromTotal(resolution.report);
}

/** The input of the exporters, with the answers about single sites that are known. */
export function exportedModel(
  result: LoadedResult,
  answers: readonly Answered[] = [],
): ExportedModel {
  const { resolution, agreed, flags } = result;
  const { study } = agreed;
  const { report } = resolution;
  const flagged = flags.length === 0 ? report : { ...report, flags };
  return { study, report: flagged, answers: [...answers, ...result.answers] };
}

function keyOf(study: string, number: number): string {
  return `${study} ${number}`;
}
