import type { Answered } from '../../src/analysis/question.ts';
import type { ExportedModel } from '../../src/export/exported-model.ts';
import { type Agreement, agreement } from '../../src/federate.ts';
import { parseStudy } from '../../src/fusion/study-schema.ts';
import type { SiteFlag } from '../../src/model/report.ts';
import type { SealedResolution } from '../../src/protocol/messages.ts';
import type { Statistic } from '../../src/statistic/statistic.ts';
import type { RidgeFusion } from '../../src/study/study.ts';
import { DeskTrouble } from './trouble.ts';

/** What the desk holds of one resolution: numbers cross to the page, sums stay here. */
export interface HeldResult {
  readonly resolution: SealedResolution;
  readonly agreed: Agreement;
  /** Once it has been fetched and its digest found to be the signed one. */
  total?: Statistic;
  /** What the coordinator has answered about single sites. */
  answers: readonly Answered[];
  flags: readonly SiteFlag[];
}

const held = new Map<string, HeldResult>();

/** Keeps a resolution whose signature has been checked. */
export function holdResult(resolution: SealedResolution): HeldResult {
  const key = keyOf(resolution.studyDigest, resolution.number);
  const known = held.get(key);
  if (known !== undefined) return known;
  // Read as the command line reads it, whose exports then are the same bytes.
  const agreed = agreement(parseStudy(resolution.study));
  const result: HeldResult = { resolution, agreed, answers: [], flags: [] };
  held.set(key, result);
  return result;
}

/** The resolution a page asks about: of its study and number. */
export function heldResult(study: string, number: number): HeldResult {
  const known = held.get(keyOf(study, number));
  if (known !== undefined) return known;
  throw new DeskTrouble({
    kind: 'unexpected',
    problem: `resolution ${number} is not at hand any more`,
    remedy: 'reload the page',
  });
}

/** The same with its total; pages ask only where there is one. */
export function withTotal(
  study: string,
  number: number,
): HeldResult & { readonly total: Statistic } {
  const result = heldResult(study, number);
  if (result.total !== undefined) return { ...result, total: result.total };
  throw new DeskTrouble({
    kind: 'unexpected',
    problem: 'the total of this resolution is not at hand',
    remedy: 'fetch it first; only who runs the study can',
  });
}

/**
 * The study's own method as far as the total alone carries it: a penalty that left-out sites have chosen is given as a
 * number; errors and intercepts of the sites are left out.
 */
export function methodFromTotal({ resolution, agreed }: HeldResult): RidgeFusion | undefined {
  return agreed.method.linear?.fromTotal(resolution.report);
}

/** What the exporters are given, with whatever is known of single sites. */
export function exportedModel(
  result: HeldResult,
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
