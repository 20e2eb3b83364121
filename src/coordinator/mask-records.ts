import type { Kysely } from 'kysely';
import type { Agreement } from '../federate.ts';
import type { FixedStages, MaskStudy } from '../masks/mask-stages.ts';
import type { MaskMessage, MaskStageName } from '../protocol/mask-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { canonicalJson } from '../study/canonical-json.ts';
import { digestJson } from '../study/digest.ts';
import type { StudySession } from './study-session.ts';
import type { Tables } from './tables.ts';

/** The masks of a study; refuses a study whose sites agree on none. */
export function maskStudy({ digest, aggregation: { masks } }: Agreement): MaskStudy {
  if (masks !== undefined) return { study: digest, terms: masks };
  throw new Refusal(
    'conflict',
    'the sites of this study agree on no masks',
    'send the contribution only',
  );
}

/** Stands for the coordinator where messages have a site. */
const COORDINATOR = '';

/** What the coordinator has fixed so far. */
export async function fixedStages(db: Kysely<Tables>, study: string): Promise<FixedStages> {
  const rows = await db
    .selectFrom('mask_messages')
    .select(['stage', 'body'])
    .where('study', '=', study)
    .where('site', '=', COORDINATOR)
    .execute();
  return Object.fromEntries(rows.map(({ stage, body }) => [stage, JSON.parse(body)]));
}

/** Fixes what a stage ended with, and logs it. It never changes again. */
export async function fixStage<Stage extends keyof FixedStages>(
  session: StudySession,
  stage: Stage,
  fixed: NonNullable<FixedStages[Stage]>,
  sites: number,
): Promise<void> {
  await insert(session, stage, COORDINATOR, fixed);
  session.record('stage-ended', { stage, sites });
}

/** Stores a message. Returns whether it is new; refuses another message of the same site and stage. */
export async function storeMaskMessage(
  session: StudySession,
  stage: MaskStageName,
  message: MaskMessage,
): Promise<boolean> {
  const known = await session.db
    .selectFrom('mask_messages')
    .select('digest')
    .where('study', '=', session.id)
    .where('stage', '=', stage)
    .where('site', '=', message.site)
    .executeTakeFirst();
  if (known === undefined) {
    await insert(session, stage, message.site, message);
    return true;
  }
  if (known.digest === digestJson(message)) return false;
  throw new Refusal(
    'conflict',
    `the site has sent another message of the stage of ${stage} before`,
    'go on with the folder that it was sent from',
  );
}

async function insert(
  { db, id }: StudySession,
  stage: string,
  site: string,
  content: unknown,
): Promise<void> {
  const body = canonicalJson(content);
  await db
    .insertInto('mask_messages')
    .values({ study: id, stage, site, digest: digestJson(content), body })
    .execute();
}

/** Names of the sites whose message of a stage is there. */
export async function sendersOf(
  db: Kysely<Tables>,
  study: string,
  stage: MaskStageName,
): Promise<string[]> {
  const rows = await db
    .selectFrom('mask_messages')
    .select('site')
    .where('study', '=', study)
    .where('stage', '=', stage)
    .where('site', '!=', COORDINATOR)
    .execute();
  return rows.map(({ site }) => site);
}

/** Messages of a stage; of some sites where named. */
export async function maskMessages<Message extends MaskMessage>(
  db: Kysely<Tables>,
  study: string,
  stage: MaskStageName,
  sites?: readonly string[],
): Promise<Message[]> {
  if (sites?.length === 0) return [];
  const all = db
    .selectFrom('mask_messages')
    .select('body')
    .where('study', '=', study)
    .where('stage', '=', stage)
    .where('site', '!=', COORDINATOR);
  const rows = await (sites === undefined ? all : all.where('site', 'in', sites)).execute();
  return rows.map(({ body }) => JSON.parse(body));
}
