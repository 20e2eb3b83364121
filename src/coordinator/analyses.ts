import { type Inquiry, inquiryMethod, isAsked } from '../analysis/inquiry.ts';
import { topics } from '../analysis/topics.ts';
import type { Findings } from '../conclude.ts';
import type { Agreement } from '../federate.ts';
import { finiteJson } from '../model/report.ts';
import type { Analysis, SealedAnalysis } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { sealDocument } from '../protocol/signature.ts';
import { requireRunner } from './access.ts';
import type { Caller } from './coordinator.ts';
import { changedSince, countingStill } from './counting.ts';
import type { Desk } from './desk.ts';
import { noiseOf } from './release.ts';
import { newestResolution } from './resolution-records.ts';
import { siteLines } from './site-statuses.ts';
import { gatherSources } from './sources.ts';

/** Another look at what the newest resolution was made of; the sites are not asked again. */
export async function analyseStudy(
  desk: Desk,
  caller: Caller,
  id: string,
  inquiry: Inquiry,
): Promise<SealedAnalysis> {
  requireRunner(caller, id);
  const agreed = await desk.agreed(id);
  const newest = await newestResolution(desk.store.db, id);
  if (newest === undefined) {
    throw new Refusal('conflict', 'the study has no resolution yet', 'ask when it has resolved');
  }
  const counting = await countingStill(desk.store.db, id, newest);
  // Of a private study there is one report, made once; with questions `conclude` refuses.
  if (agreed.method.noise !== undefined && !isAsked(inquiry)) {
    return sealed(desk, agreed, newest.number, inquiry, { report: newest.report, answers: [] });
  }
  const method = inquiryMethod(agreed.method, inquiry);
  if ('problem' in method) throw new Refusal('conflict', method.problem, method.remedy);
  const sources = await gatherSources(desk.store, id, agreed, counting, {
    method,
    across: inquiry.questions.some(({ about }) => topics[about].sees === 'sites'),
  });
  if (sources === undefined) throw changedSince(newest.number);
  if ('problem' in sources) throw new Refusal('conflict', sources.problem, sources.remedy);
  const { study } = agreed;
  const sites = siteLines(counting);
  const noise = noiseOf(desk, agreed, counting);
  const concluded = await desk.conclude({ study, ...sources, sites, inquiry, ...noise });
  if ('problem' in concluded) throw new Refusal('conflict', concluded.problem, concluded.remedy);
  return sealed(desk, agreed, newest.number, inquiry, concluded);
}

function sealed(
  desk: Desk,
  { study, digest }: Agreement,
  resolution: number,
  inquiry: Inquiry,
  found: Findings,
): SealedAnalysis {
  return sealDocument<Analysis>(
    {
      schema: 'suffice/analysis@1',
      resolution,
      study,
      studyDigest: digest,
      askedAt: desk.now().toISOString(),
      inquiry,
      ...JSON.parse(finiteJson(found)),
    },
    desk.signing,
  );
}
