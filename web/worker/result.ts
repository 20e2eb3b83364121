import type { Path } from '../../src/analysis/path.ts';
import type { Answered, Question } from '../../src/analysis/question.ts';
import type { Heterogeneity } from '../../src/between-sites/heterogeneity.ts';
import { isQuicklyChecked } from '../../src/between-sites/sanity.ts';
import { resultOf } from '../../src/conclude.ts';
import { defined } from '../../src/defined.ts';
import { type Disagreement, disagreementIn } from '../../src/model/disagreement.ts';
import type { Report } from '../../src/model/report.ts';
import { isSameReport } from '../../src/model/same-report.ts';
import type { SiteFlag } from '../../src/model/site-flag.ts';
import { verifyAuditLog } from '../../src/protocol/audit-chain.ts';
import type { StudyView } from '../../src/protocol/messages.ts';
import { Refusal } from '../../src/protocol/refusal.ts';
import { resolutionDigest } from '../../src/protocol/verify-resolution.ts';
import { canonicalJson } from '../../src/study/canonical-json.ts';
import type { RidgeFusion } from '../../src/study/study.ts';
import { isSite, type StudyLink } from '../tab/page-address.ts';
import { linkClient } from './client.ts';
import {
  answersFromTotal,
  type Exploration,
  exploredReport,
  gcvReport,
  type SolvedModel,
  standardizedModel,
  tracedPath,
} from './exploration.ts';
import { keepResult, loadedResult, withTotal } from './loaded-result.ts';
import type { LogPlace, OwnReceipt } from './result-certificate.ts';
import { type FileKind, type MadeFile, makeFile } from './result-files.ts';
import { type Overview, overviewOf } from './result-overview.ts';
import type { Call } from './worker-messages.ts';

/** The study and one of its resolutions: the newest, unless a number is given. */
export async function openResult(
  { signal }: Call,
  link: StudyLink,
  number?: number,
): Promise<Overview> {
  const client = linkClient(link, { signal });
  const view = await client.view();
  if (view.resolution === undefined) return overviewOf(view, [], undefined);
  const [versions, resolution] = await Promise.all([
    client.resolutions(),
    client.resolution(number ?? view.resolution.number),
  ]);
  return overviewOf(view, versions, keepResult(resolution));
}

/** Sends the view of the study after every change, until the call is cancelled. */
export async function followResult(
  { update, signal }: Call<StudyView>,
  link: StudyLink,
): Promise<void> {
  const client = linkClient(link, { signal });
  let known: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    const view = await client.view().catch(() => undefined);
    if (view === undefined) return;
    const sites = view.sites.map(({ traffic: _, ...site }) => site);
    const now = canonicalJson({ ...view, sites } as never);
    if (now !== known) update(view);
    known = now;
  };
  for await (const _ of client.events(1, signal)) {
    clearTimeout(timer);
    timer = setTimeout(look, 150);
  }
}

/** Fetches the total of a resolution, checks its digest against the signed one, and keeps it. */
export async function fetchTotal(
  { signal }: Call,
  link: StudyLink,
  study: string,
  number: number,
): Promise<void> {
  const result = loadedResult(study, number);
  result.total ??= await linkClient(link, { signal }).total(number);
}

/** Solves the total again here. Whether the report is the published one, to the last bit. */
export async function solveAgain(_: Call, study: string, number: number): Promise<boolean> {
  const { agreed, total, resolution } = withTotal(study, number);
  const { report, contributions } = resolution;
  const sent = { total, contributions: contributions.length };
  const again = resultOf(agreed, sent, report.sites);
  return !('problem' in again) && isSameReport(report, again.report);
}

/** Answers from the total alone. */
export async function loadTotalAnswers(
  _: Call,
  study: string,
  number: number,
  questions: readonly Question[],
): Promise<readonly Answered[]> {
  return answersFromTotal(study, number, questions);
}

/** The report with another penalty, solved here. */
export async function explore(
  _: Call,
  study: string,
  number: number,
  exploration: Exploration,
): Promise<SolvedModel> {
  return exploredReport(study, number, exploration);
}

/** Slopes along the penalty, solved here. */
export async function tracePath(
  _: Call,
  study: string,
  number: number,
  exploration: Omit<Exploration, 'penalty'>,
  response: string,
): Promise<Path> {
  return tracedPath(study, number, exploration, response);
}

/** The ridge that generalised cross-validation chooses, and its curve, computed here. */
export async function chooseResultByGcv(
  _: Call,
  study: string,
  number: number,
  scale: Exploration['scale'],
): Promise<Report> {
  return gcvReport(study, number, scale);
}

/** What is shown to the analyst about the sites one by one; no flags where they were not checked. */
export interface Doubtful {
  readonly flags?: readonly SiteFlag[];
  readonly disagreement?: Disagreement;
}

/** Suspicious contributions, and whether the sites agree; undefined if they were not checked. */
export async function findDoubts(
  { signal }: Call,
  link: StudyLink,
  study: string,
  number: number,
): Promise<Doubtful | undefined> {
  const result = loadedResult(study, number);
  const { report } = result.resolution;
  const columns = report.terms?.length ?? report.responses?.[0]?.terms.length ?? 0;
  if (isSite(link) || 'none' in result.agreed.method.questions) return undefined;
  if (!isQuicklyChecked(report.sites.length, columns)) return undefined;
  try {
    const found = await linkClient(link, { signal }).analyse({
      questions: [{ about: 'sanity' }, { about: 'heterogeneity' }],
    });
    if (found.resolution !== number) return undefined;
    const [sanity, compared] = found.answers;
    const flags = sanity !== undefined && 'flags' in sanity ? sanity.flags : undefined;
    result.flags = flags ?? [];
    const { siteEffects, terms } = report;
    const comparable = siteEffects === undefined && terms !== undefined;
    const disagreement =
      comparable && compared !== undefined && 'without' in compared
        ? disagreementIn(compared as Heterogeneity)
        : undefined;
    return defined({ flags, disagreement });
  } catch (failure) {
    if (failure instanceof Refusal) return undefined; // the contributions have changed since
    throw failure;
  }
}

/** Answers about single sites, which the coordinator gives the analyst. */
export async function loadSiteAnswers(
  { signal }: Call,
  link: StudyLink,
  study: string,
  number: number,
  questions: readonly Question[],
): Promise<readonly Answered[]> {
  const result = loadedResult(study, number);
  const { answers, resolution } = await linkClient(link, { signal }).analyse({ questions });
  if (resolution !== number) throw changed(resolution);
  const asked = new Set<string>(questions.map(({ about }) => about));
  result.answers = [...result.answers.filter(({ about }) => !asked.has(about)), ...answers];
  return answers;
}

/** Scores by penalty with one site left out at a time; the coordinator computes them from each site's sums. */
export async function loadLeftOutSites(
  { signal }: Call,
  link: StudyLink,
  study: string,
  number: number,
  scale: Exploration['scale'],
): Promise<Report> {
  const { lasso } = loadedResult(study, number).resolution.report;
  const rule = 'leave-one-site-out';
  const method: RidgeFusion =
    lasso === undefined
      ? { kind: 'ridge', ridge: rule, ...standardizedModel(scale) }
      : { kind: 'ridge', ridge: 0, lasso: { lambda: rule, mix: lasso.mix } };
  const { report, resolution } = await linkClient(link, { signal }).analyse({
    method,
    questions: [],
  });
  if (resolution !== number) throw changed(resolution);
  return report;
}

/** Position of the resolution in the audit log, after checking the log's chain and seal. */
export async function findInLog(
  { signal }: Call,
  link: StudyLink,
  study: string,
  number: number,
): Promise<LogPlace> {
  const { resolution } = loadedResult(study, number);
  const log = await linkClient(link, { signal }).auditLog();
  const verdict = verifyAuditLog(log, {
    studyDigest: study,
    coordinatorKey: link.coordinatorKey,
  });
  if ('problem' in verdict) return { problem: verdict.problem };
  const digest = resolutionDigest(resolution);
  const entry = log.entries.find(
    ({ event, detail }) => event === 'resolved' && detail.digest === digest,
  );
  const head = log.entries.at(-1);
  if (entry === undefined || head === undefined) {
    return { problem: 'the audit log does not know this resolution' };
  }
  return { position: entry.position, entries: log.entries.length, head: head.digest };
}

/** The site's own receipts, to compare with the contributions in the result. */
export async function readReceipts(
  { signal }: Call,
  link: StudyLink,
): Promise<readonly OwnReceipt[]> {
  const receipts = await linkClient(link, { signal }).receipts();
  return receipts.map(({ digest, receivedAt, bytes }) => ({ digest, receivedAt, bytes }));
}

/** A file of the result, made here. */
export async function makeResultFile(
  _: Call,
  study: string,
  number: number,
  kind: FileKind,
): Promise<MadeFile> {
  return makeFile(study, number, kind);
}

function changed(newest: number): Refusal {
  return new Refusal(
    'conflict',
    `resolution ${newest} is newer: the coordinator answers about that one`,
    `choose resolution ${newest} above`,
  );
}
