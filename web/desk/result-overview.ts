import { isBiased, learntBy, responsesOf } from '../../src/export/exported-model.ts';
import { fitWords, summaryWords, unavailable } from '../../src/export/report-summary.ts';
import type { LinearTerms, Method, Questions, ResultSection } from '../../src/fusion/method.ts';
import { clippedWords } from '../../src/model/privacy-text.ts';
import type { Report, ResponseReport } from '../../src/model/report.ts';
import { reportedMap } from '../../src/model/reported-map.ts';
import { type Communication, communication } from '../../src/protocol/communication.ts';
import type { ResolutionLine, SealedResolution, StudyView } from '../../src/protocol/messages.ts';
import { resolutionDigest } from '../../src/protocol/verify-resolution.ts';
import { bytesOf } from '../../src/statistic/layout.ts';
import { exportedModel, type HeldResult } from './held-result.ts';

/** A study and the resolution of it that a page shows, everything signed checked. */
export interface Overview {
  readonly view: StudyView;
  readonly versions: readonly ResolutionLine[];
  readonly meter: Communication;
  readonly shown?: ShownResult;
}

/** A resolution with all that can be said of it without its total. */
export interface ShownResult {
  readonly resolution: SealedResolution;
  /** What the resolution is known by in the audit log. */
  readonly digest: string;
  /** None where the report has no coefficients. */
  readonly responses: readonly ShownResponse[];
  /** The terms are those of a formula over a table. */
  readonly hasFormula: boolean;
  /** How the model was made and how it went, in sentences. */
  readonly summary: readonly string[];
  readonly learntBy: string;
  /** What comes before all else where many responses were clipped. */
  readonly clipped: readonly string[];
  /** Whether a penalty biases the coefficients, so that errors make no intervals. */
  readonly biased: boolean;
  /** The total is over columns that a feature map has made, not those of the formula. */
  readonly mapped: boolean;
  /** What the model cannot answer: a heading and the reason. */
  readonly unavailable: readonly [string, string];
  /** Bytes of the total, were it fetched. */
  readonly totalBytes: number;
  /** Whether the total alone gives the published model again, errors and all. */
  readonly fromTotal: boolean;
  /** Why who runs the study is shown nothing made of the total, if so. */
  readonly withoutTotal?: 'private' | 'estimates' | 'parts';
  /** Noise protects the rows. */
  readonly isPrivate: boolean;
  /** What may be asked beside the report: of sums, of Fisher information, or nothing. */
  readonly questions: 'sums' | 'information' | 'none';
  /** What can be explored of a linear regression; absent for other methods. */
  readonly linear?: Pick<LinearTerms, 'scale' | 'siteEffects'>;
  /** Sections that the method has beside those of every result, in order. */
  readonly sections: readonly ResultSection[];
}

export interface ShownResponse extends ResponseReport {
  /** How well it is explained, in sentences. */
  readonly words: readonly string[];
}

/** Puts what was fetched into the shape of a page. */
export function overviewOf(
  view: StudyView,
  versions: readonly ResolutionLine[],
  result: HeldResult | undefined,
): Overview {
  return {
    view,
    versions,
    meter: communication(view.layout, view.sites),
    ...(result === undefined ? {} : { shown: shownResult(result) }),
  };
}

function shownResult(result: HeldResult): ShownResult {
  const { resolution, agreed } = result;
  const { report } = resolution;
  const { method } = agreed;
  const model = exportedModel(result);
  return {
    resolution,
    digest: resolutionDigest(resolution),
    responses: shownResponses(report),
    hasFormula: method.regression !== undefined,
    summary: summaryWords(model),
    learntBy: learntBy(model),
    clipped: clippedWords(report),
    biased: isBiased(model),
    mapped: reportedMap(report) !== undefined,
    unavailable: unavailableOf(method, report),
    totalBytes: bytesOf(agreed.layout),
    fromTotal: method.noise === undefined && !method.needsParts,
    ...withoutTotal(method, report),
    isPrivate: method.noise !== undefined,
    questions: askedOf(method.questions),
    ...linearOf(method),
    sections: method.sections,
  };
}

function shownResponses(report: Report): readonly ShownResponse[] {
  if (report.terms === undefined && report.responses === undefined) return [];
  return responsesOf(report).map((one) => ({ ...one, words: fitWords(one, report) }));
}

/** Of a private study nobody gets the total; of one that is resolved from its parts and answers nothing, it says nothing. */
function withoutTotal(
  { noise, questions, needsParts }: Method,
  { estimates }: Report,
): Pick<ShownResult, 'withoutTotal'> {
  if (noise !== undefined) return { withoutTotal: 'private' };
  if (!('none' in questions) || !needsParts) return {};
  return { withoutTotal: estimates === undefined ? 'parts' : 'estimates' };
}

/** Of a method that answers nothing, and of which the exports have no words: its own reason. */
function unavailableOf({ noise, questions }: Method, report: Report): ShownResult['unavailable'] {
  if (noise !== undefined || report.estimates !== undefined || !('none' in questions)) {
    return unavailable(report);
  }
  const { problem } = questions.none;
  return ['Not available', `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`];
}

function askedOf(questions: Questions): ShownResult['questions'] {
  return 'none' in questions ? 'none' : questions.of;
}

/** As plain data, which crosses to the page. */
function linearOf({ linear }: Method): Pick<ShownResult, 'linear'> {
  if (linear === undefined) return {};
  const { scale, siteEffects } = linear;
  return { linear: { scale, siteEffects } };
}
