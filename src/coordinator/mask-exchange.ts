import type { Kysely } from 'kysely';
import type { Failure } from '../failure.ts';
import {
  type FixedStages,
  fixContributions,
  fixedGraph,
  fixKeys,
  fixShares,
  graphPart,
  type MaskStudy,
  refuseReveals,
  refuseShares,
  refuseSurvivors,
  refuseUnsigned,
} from '../masks/mask-stages.ts';
import { siteSet } from '../masks/site-set.ts';
import {
  type MaskMessage,
  type MaskStage,
  type MaskStageName,
  type SealedMaskKeys,
  type SealedMaskShares,
  type SealedMaskSurvivors,
  stageOfMessage,
} from '../protocol/mask-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { notAllowed, requireSite } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import {
  fixedStages,
  fixStage,
  maskMessages,
  maskStudy,
  sendersOf,
  storeMaskMessage,
} from './mask-records.ts';
import { activeNow } from './stored-contributions.ts';
import { inStudy, isCollecting, type StudySession } from './study-session.ts';
import type { Tables } from './tables.ts';

/** Stores a site's message of a stage, and ends the stage if it was the last one. */
export async function sendMaskMessage(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  message: MaskMessage,
): Promise<MaskStage> {
  const site = requireSite(caller, id);
  const masks = maskStudy(await context.agreed(id));
  if (message.site !== site) throw notAllowed('the message was made for another site');
  refuseUnsigned(masks, message);
  const stage = stageOfMessage[message.schema];
  await inStudy(context, id, async (session) => {
    if ((await sitesThatLeft(session)).has(site)) throw notAllowed('the site has left the study');
    const fixed = await fixedStages(session.db, id);
    refuseOutOfPlace(masks, fixed, message);
    const isNew = await storeMaskMessage(session, stage, message);
    if (!isNew) return;
    if (stage === 'keys' || stage === 'shares') {
      refuseOver(session, stage, fixed);
      if (stage === 'keys') await markReady(session, site);
      await endIfComplete(session, masks, fixed, stage);
    } else if (stage === 'reveals') await tryToOpen(session, masks, fixed);
  });
  return readMaskStage(context, caller, id, stage);
}

/** The analyst sees which sites have sent keys. */
async function markReady({ db, id }: StudySession, site: string): Promise<void> {
  await db
    .updateTable('sites')
    .set({ state: 'ready' })
    .where('study', '=', id)
    .where('name', '=', site)
    .where('state', '=', 'invited')
    .execute();
}

/** Refuses a message that does not fit what is fixed. */
function refuseOutOfPlace(masks: MaskStudy, fixed: FixedStages, message: MaskMessage): void {
  switch (message.schema) {
    case 'suffice/mask-keys@1':
      return;
    case 'suffice/mask-shares@1':
      refuseShares(masks, fixed, message);
      return;
    case 'suffice/mask-survivors@1':
      refuseSurvivors(masks, fixed, message);
      return;
    case 'suffice/mask-reveals@1':
      refuseReveals(masks, fixed, message);
  }
}

function refuseOver(session: StudySession, stage: 'keys' | 'shares', fixed: FixedStages): void {
  if (fixed[stage] === undefined && isCollecting(session.study.state)) return;
  throw leftOut(stage);
}

function leftOut(stage: 'keys' | 'shares'): Refusal {
  return new Refusal(
    'conflict',
    `the stage of ${stage} is over, without this site`,
    'ask the analyst for a new study',
  );
}

/** Ends a stage once nobody is left to wait for. */
async function endIfComplete(
  session: StudySession,
  masks: MaskStudy,
  fixed: FixedStages,
  stage: 'keys' | 'shares',
): Promise<void> {
  const there = new Set(await sendersOf(session.db, session.id, stage));
  const expected = expectedOf(masks, fixed, stage);
  const gone = await sitesThatLeft(session);
  if (!expected.every((site) => there.has(site) || gone.has(site))) return;
  // Too few may be left; the analyst sees who is missing when asked to close.
  await endStage(session, masks, fixed, stage);
}

async function sitesThatLeft({ db, id }: StudySession): Promise<Set<string>> {
  const rows = await db
    .selectFrom('sites')
    .select('name')
    .where('study', '=', id)
    .where('state', 'in', ['withdrawn', 'revoked'])
    .execute();
  return new Set(rows.map(({ name }) => name));
}

/** Ends the stage of keys or shares with the sites that are there; says who must come back if they are too few. */
async function endStage(
  session: StudySession,
  masks: MaskStudy,
  fixed: FixedStages,
  stage: 'keys' | 'shares',
): Promise<Failure | undefined> {
  const { db, id } = session;
  if (stage === 'keys') {
    const messages = await maskMessages<SealedMaskKeys>(db, id, 'keys');
    const keys = fixKeys(masks, messages);
    if ('problem' in keys) return keys;
    await fixStage(session, 'keys', keys, messages.length);
    return undefined;
  }
  const dealers = await sendersOf(db, id, 'shares');
  const shares = fixShares(masks, fixed, dealers);
  if (typeof shares !== 'string') return shares;
  await fixStage(session, 'shares', shares, dealers.length);
  return undefined;
}

/** Ends the stage that a study is in, for an analyst who closes it; false once contributions are collected. */
export async function endMaskStage(session: StudySession, masks: MaskStudy): Promise<boolean> {
  const fixed = await fixedStages(session.db, session.id);
  const stage = (['keys', 'shares'] as const).find((one) => fixed[one] === undefined);
  const lacking =
    stage === undefined
      ? await lackingContributions(session, masks, fixed)
      : await endStage(session, masks, fixed, stage);
  if (lacking !== undefined) throw new Refusal('conflict', lacking.problem, lacking.remedy);
  return stage !== undefined;
}

/** At the deadline: ends the stage under way with the sites that are there, and gives the next one its time. Closes the study where they are too few, or contributions were collected. */
export async function endExpiredStage(session: StudySession, masks: MaskStudy): Promise<void> {
  const { at, study } = session;
  if (!isCollecting(study.state) || study.deadline === null || study.deadline > at) return;
  const fixed = await fixedStages(session.db, session.id);
  const stage = (['keys', 'shares'] as const).find((one) => fixed[one] === undefined);
  const ended = stage !== undefined && (await endStage(session, masks, fixed, stage)) === undefined;
  if (!ended) return session.close('deadline');
  const next = Date.parse(at) + 60_000 * masks.terms.stageMinutes;
  const deadline = new Date(next).toISOString();
  session.change({ deadline });
  session.record('extended', { deadline });
}

async function lackingContributions(
  { db, id }: StudySession,
  masks: MaskStudy,
  fixed: FixedStages,
): Promise<Failure | undefined> {
  const { bySite } = await activeNow(db, id, { includeLate: false });
  const found = fixContributions(masks, fixed, [...bySite.keys()]);
  return typeof found === 'string' ? undefined : found;
}

/** Makes a study due once enough shares may be there to open its total. */
async function tryToOpen(
  session: StudySession,
  { terms }: MaskStudy,
  fixed: FixedStages,
): Promise<void> {
  const arrived = (await sendersOf(session.db, session.id, 'reveals')).length;
  const survivors = siteSet(terms.roster, fixed.contributions!) ?? [];
  if (arrived < terms.threshold * survivors.length) return;
  if (session.study.state === 'closed') session.change({ due: 1 });
}

/** The sites that a stage waits for. */
function expectedOf(
  { terms: { roster } }: MaskStudy,
  fixed: FixedStages,
  stage: MaskStageName,
): readonly string[] {
  const before: Readonly<Record<MaskStageName, string | undefined>> = {
    keys: undefined,
    shares: fixed.keys?.present,
    contributions: fixed.shares,
    survivors: fixed.contributions,
    reveals: fixed.contributions,
  };
  const text = before[stage];
  return (text === undefined ? undefined : siteSet(roster, text)) ?? Object.keys(roster);
}

/** What the site needs of a stage. */
export async function readMaskStage(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  stage: MaskStageName,
): Promise<MaskStage> {
  const site = requireSite(caller, id);
  const masks = maskStudy(await context.agreed(id));
  const { db } = context.store;
  const fixed = await fixedStages(db, id);
  const there =
    stage === 'contributions'
      ? [...(await activeNow(db, id, { includeLate: false })).bySite.keys()]
      : await sendersOf(db, id, stage);
  const expected = expectedOf(masks, fixed, stage);
  if (stage === 'keys' || stage === 'shares') await refuseClosed(db, id, fixed, stage);
  return {
    ...{ schema: 'suffice/mask-stage@1', stage, arrived: there.length, expected: expected.length },
    ...(await partOf(db, id, masks, fixed, stage, site)),
  };
}

/** Refuses to let a site wait for a stage that cannot end any more. */
async function refuseClosed(
  db: Kysely<Tables>,
  id: string,
  fixed: FixedStages,
  stage: 'keys' | 'shares',
): Promise<void> {
  if (fixed[stage] !== undefined) return;
  const row = await db
    .selectFrom('studies')
    .select('state')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (isCollecting(row.state)) return;
  throw new Refusal(
    'conflict',
    `the study has closed before the end of the stage of ${stage}`,
    'ask the analyst to reopen it, and join again',
  );
}

type StagePart = Pick<MaskStage, 'graph' | 'dealt' | 'survivors' | 'signed'>;

async function partOf(
  db: Kysely<Tables>,
  id: string,
  masks: MaskStudy,
  fixed: FixedStages,
  stage: MaskStageName,
  site: string,
): Promise<StagePart> {
  const near = () => fixedGraph(masks, fixed).neighbours(site);
  if (stage === 'keys' && fixed.keys !== undefined) {
    const around = near();
    if (around.length === 0) throw leftOut('keys');
    const keys = await maskMessages<SealedMaskKeys>(db, id, 'keys', around);
    return { graph: graphPart(masks, fixed, keys, site) };
  }
  if (stage === 'shares' && fixed.shares !== undefined) {
    const sent = await maskMessages<SealedMaskShares>(db, id, 'shares', near());
    const shares = sent.map((one) => [one.site, one.shares[site]]);
    return { dealt: { present: fixed.shares, shares: Object.fromEntries(shares) } };
  }
  if (stage === 'contributions' && fixed.contributions !== undefined) {
    return { survivors: fixed.contributions };
  }
  if (stage === 'survivors' && fixed.contributions !== undefined) {
    return { signed: await maskMessages<SealedMaskSurvivors>(db, id, 'survivors', near()) };
  }
  return {};
}
