import { defined } from '../../src/defined.ts';
import { isBiased, responsesOf } from '../../src/export/exported-model.ts';
import { fitText, summaryText, unavailable } from '../../src/export/report-summary.ts';
import type { TermTexts } from '../../src/features/term-text.ts';
import type { Agreement } from '../../src/federate.ts';
import type { LinearTerms, Method, Questions, ResultSection } from '../../src/fusion/method.ts';
import { readableTerms } from '../../src/model/map-text.ts';
import { modelNames } from '../../src/model/model-names.ts';
import { clippedText } from '../../src/model/privacy-text.ts';
import type { Report, ResponseReport } from '../../src/model/report.ts';
import { reportedMap } from '../../src/model/reported-map.ts';
import { type Communication, communication } from '../../src/protocol/communication.ts';
import type { ResolutionLine, SealedResolution, StudyView } from '../../src/protocol/messages.ts';
import { resolutionDigest } from '../../src/protocol/verify-resolution.ts';
import { bytesOf, entriesOf } from '../../src/statistic/layout.ts';
import { isImageStudy } from '../../src/study/image-study.ts';
import { exportedModel, type LoadedResult } from './loaded-result.ts';
import { type NetworkView, networkView } from './network-view.ts';

/** A study and the resolution that the page shows; all signatures were checked. */
export interface Overview {
  readonly view: StudyView;
  readonly versions: readonly ResolutionLine[];
  readonly traffic: Communication;
  readonly shown?: ShownResult;
}

/** A resolution, with everything that needs no total. */
export interface ShownResult {
  readonly resolution: SealedResolution;
  /** Digest of the resolution in the audit log. */
  readonly digest: string;
  /** Empty if the report has no coefficients. */
  readonly responses: readonly ShownResponse[];
  /** Names of columns and terms for people. */
  readonly names: TermTexts;
  /** Whether the study has a formula over a table. */
  readonly hasFormula: boolean;
  /** Whether the columns are pixels of images, which nobody reads one by one. */
  readonly images: boolean;
  /** Sentences about the method and the fit. */
  readonly summary: readonly string[];
  /** A warning, if many responses were clipped. */
  readonly clipped: readonly string[];
  /** Whether a penalty biases the coefficients, so that there are no intervals. */
  readonly biased: boolean;
  /** Whether the total is over columns of a feature map, not over those of the formula. */
  readonly mapped: boolean;
  /** Heading and text of the section about what the model cannot answer. */
  readonly unavailable: readonly [string, string];
  /** Numbers in the total, and in what each site sent. */
  readonly totalNumbers: number;
  /** Size of the total in bytes. */
  readonly totalBytes: number;
  /** Whether the total alone reproduces the published model with its errors. */
  readonly fromTotal: boolean;
  /** Why even the analyst gets no total; absent if the analyst gets it. */
  readonly withoutTotal?: 'private' | 'estimates' | 'parts' | 'few';
  /** Whether noise protects the rows. */
  readonly isPrivate: boolean;
  /** What further questions can be asked of: sums, Fisher information, or nothing. */
  readonly questions: 'sums' | 'information' | 'none';
  /** Terms of a linear regression that can be explored; absent for other methods. */
  readonly linear?: Pick<LinearTerms, 'scale' | 'siteEffects'>;
  /** The network, where sites trained one. */
  readonly network?: NetworkView;
  /** Sections of this method, in order; every result has further ones. */
  readonly sections: readonly ResultSection[];
}

export interface ShownResponse extends ResponseReport {
  /** Sentences about the fit. */
  readonly text: readonly string[];
}

/** The view of the result page. */
export function overviewOf(
  view: StudyView,
  versions: readonly ResolutionLine[],
  result: LoadedResult | undefined,
): Overview {
  return {
    view,
    versions,
    traffic: communication(view.layout, view.sites),
    ...(result === undefined ? {} : { shown: shownResult(result) }),
  };
}

/** Sections about single columns. */
const ofColumns: readonly ResultSection[] = ['trace', 'agreement', 'columns'];

function shownResult(result: LoadedResult): ShownResult {
  const { resolution, agreed } = result;
  const { report } = resolution;
  const { method } = agreed;
  const model = exportedModel(result);
  return {
    resolution,
    digest: resolutionDigest(resolution),
    responses: shownResponses(report),
    names: modelNames(agreed.study, report),
    hasFormula: method.regression !== undefined,
    images: isImageStudy(agreed.study),
    summary: summaryText(model),
    clipped: clippedText(report),
    biased: isBiased(model),
    mapped: reportedMap(report) !== undefined,
    unavailable: unavailable(method, report),
    totalNumbers: entriesOf(agreed.layout),
    totalBytes: bytesOf(agreed.layout),
    fromTotal:
      method.noise === undefined &&
      !method.needsSites &&
      agreed.aggregation.minimumSites === undefined,
    ...withoutTotal(agreed, report),
    isPrivate: method.noise !== undefined,
    questions: askedOf(method.questions),
    ...linearOf(method),
    ...defined({ network: networkView(result) }),
    sections: method.sections.filter(
      (id) => !isImageStudy(agreed.study) || !ofColumns.includes(id),
    ),
  };
}

function shownResponses(report: Report): readonly ShownResponse[] {
  if (report.terms === undefined && report.responses === undefined) return [];
  return responsesOf(report).map((one) => ({
    ...one,
    terms: readableTerms(report, one.terms),
    text: fitText(one, report),
  }));
}

/** In a private study nobody gets the total. A method that works on each site's statistics and answers no questions has no use for it. */
function withoutTotal(
  { method: { noise, questions, needsSites }, aggregation }: Agreement,
  { estimates }: Report,
): Pick<ShownResult, 'withoutTotal'> {
  if (noise !== undefined) return { withoutTotal: 'private' };
  if (aggregation.minimumSites !== undefined) return { withoutTotal: 'few' };
  if (!('none' in questions) || !needsSites) return {};
  return { withoutTotal: estimates === undefined ? 'parts' : 'estimates' };
}

/** A method that answers no questions gives its own reason; the exports have the text for all others. */
function askedOf(questions: Questions): ShownResult['questions'] {
  return 'none' in questions ? 'none' : questions.basis;
}

/** As plain data, which can be posted to the page. */
function linearOf({ linear }: Method): Pick<ShownResult, 'linear'> {
  if (linear === undefined) return {};
  const { scale, siteEffects } = linear;
  return { linear: { scale, siteEffects } };
}
