import { isQuicklyChecked } from '../../src/across/quick-check.ts';
import type { Path } from '../../src/analysis/path.ts';
import type { Answered, Question } from '../../src/analysis/question.ts';
import { findings } from '../../src/conclude.ts';
import { type Report, reportJson, type SiteFlag } from '../../src/model/report.ts';
import { verifyAuditLog } from '../../src/protocol/audit-chain.ts';
import type { StudyView } from '../../src/protocol/messages.ts';
import { Refusal } from '../../src/protocol/refusal.ts';
import { resolutionDigest } from '../../src/protocol/verify-resolution.ts';
import { canonicalJson } from '../../src/study/canonical-json.ts';
import type { RidgeFusion } from '../../src/study/study.ts';
import { isSite, type StudyLink } from '../app/here.ts';
import { clientOf } from './client.ts';
import type { Call } from './conversation.ts';
import {
  answersFromTotal,
  type Exploration,
  exploredReport,
  gcvReport,
  type Solved,
  standardized,
  tracedPath,
} from './exploration.ts';
import { heldResult, holdResult, withTotal } from './held-result.ts';
import type { LogPlace, OwnReceipt } from './result-certificate.ts';
import { type FileKind, type MadeFile, makeFile } from './result-files.ts';
import { type Overview, overviewOf } from './result-overview.ts';

/** The study and one of its resolutions, the newest unless a number is given. */
export async function openResult(
  { signal }: Call,
  link: StudyLink,
  number?: number,
): Promise<Overview> {
  const client = clientOf(link, { signal });
  const view = await client.view();
  if (view.resolution === undefined) return overviewOf(view, [], undefined);
  const [versions, resolution] = await Promise.all([
    client.resolutions(),
    client.resolution(number ?? view.resolution.number),
  ]);
  return overviewOf(view, versions, holdResult(resolution));
}

/** Tells how the study stands whenever that has changed, until nobody listens. */
export async function followResult(
  { tell, signal }: Call<StudyView>,
  link: StudyLink,
): Promise<void> {
  const client = clientOf(link, { signal });
  let known: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    const view = await client.view().catch(() => undefined);
    if (view === undefined) return;
    const sites = view.sites.map(({ traffic: _, ...site }) => site);
    const now = canonicalJson({ ...view, sites } as never);
    if (now !== known) tell(view);
    known = now;
  };
  for await (const _ of client.events(1, signal)) {
    clearTimeout(timer);
    timer = setTimeout(look, 150);
  }
}

/** Fetches the total of a resolution and keeps it; resolves once its digest is the signed one. */
export async function fetchTotal(
  { signal }: Call,
  link: StudyLink,
  study: string,
  number: number,
): Promise<void> {
  const result = heldResult(study, number);
  result.total ??= await clientOf(link, { signal }).total(number);
}

/** Whether the total, solved again here, gives the published report to the last bit. */
export async function solveAgain(_: Call, study: string, number: number): Promise<boolean> {
  const { agreed, total, resolution } = withTotal(study, number);
  const { report, contributions } = resolution;
  const sent = { total, contributions: contributions.length };
  const again = findings(agreed, sent, report.sites);
  if ('problem' in again) return false;
  const published = canonicalJson(JSON.parse(reportJson(report)));
  return canonicalJson(JSON.parse(reportJson(again.report))) === published;
}

/** Answers that the total alone gives. */
export async function askTotal(
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
): Promise<Solved> {
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

/** The ridge that generalised cross-validation would choose, and its curve, worked out here. */
export async function chooseByGcv(
  _: Call,
  study: string,
  number: number,
  scale: Exploration['scale'],
): Promise<Report> {
  return gcvReport(study, number, scale);
}

/** What looks wrong about a site; undefined where that is not looked at. */
export async function findDoubts(
  { signal }: Call,
  link: StudyLink,
  study: string,
  number: number,
): Promise<readonly SiteFlag[] | undefined> {
  const result = heldResult(study, number);
  const { report } = result.resolution;
  const columns = report.terms?.length ?? report.responses?.[0]?.terms.length ?? 0;
  if (isSite(link) || 'none' in result.agreed.method.questions) return undefined;
  if (!isQuicklyChecked(report.sites.length, columns)) return undefined;
  try {
    const found = await clientOf(link, { signal }).analyse({ questions: [{ about: 'sanity' }] });
    const [sanity] = found.answers;
    if (found.resolution !== number || sanity === undefined || !('flags' in sanity)) {
      return undefined;
    }
    result.flags = sanity.flags;
    return sanity.flags;
  } catch (failure) {
    if (failure instanceof Refusal) return undefined; // what it was made of has changed since
    throw failure;
  }
}

/** Answers about single sites, which the coordinator gives whoever runs the study. */
export async function askAcrossSites(
  { signal }: Call,
  link: StudyLink,
  study: string,
  number: number,
  questions: readonly Question[],
): Promise<readonly Answered[]> {
  const result = heldResult(study, number);
  const { answers, resolution } = await clientOf(link, { signal }).analyse({ questions });
  if (resolution !== number) throw changed(resolution);
  const asked = new Set<string>(questions.map(({ about }) => about));
  result.answers = [...result.answers.filter(({ about }) => !asked.has(about)), ...answers];
  return answers;
}

/** The curve of the study's kind of penalty over left-out sites, which needs each site's own sums. */
export async function askLeftOut(
  { signal }: Call,
  link: StudyLink,
  study: string,
  number: number,
  scale: Exploration['scale'],
): Promise<Report> {
  const { lasso } = heldResult(study, number).resolution.report;
  const rule = 'leave-one-site-out';
  const method: RidgeFusion =
    lasso === undefined
      ? { kind: 'ridge', ridge: rule, ...standardized(scale) }
      : { kind: 'ridge', ridge: 0, lasso: { lambda: rule, mix: lasso.mix } };
  const { report, resolution } = await clientOf(link, { signal }).analyse({
    method,
    questions: [],
  });
  if (resolution !== number) throw changed(resolution);
  return report;
}

/** Where the resolution stands in the audit log, once its chain and seal have been checked. */
export async function findInLog(
  { signal }: Call,
  link: StudyLink,
  study: string,
  number: number,
): Promise<LogPlace> {
  const { resolution } = heldResult(study, number);
  const log = await clientOf(link, { signal }).auditLog();
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

/** The asking site's own receipts, to be compared with what was added. */
export async function readReceipts(
  { signal }: Call,
  link: StudyLink,
): Promise<readonly OwnReceipt[]> {
  const receipts = await clientOf(link, { signal }).receipts();
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
