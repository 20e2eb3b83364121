import type { PartyAnswer } from '../aggregation/aggregation.ts';
import type { Failure } from '../failure.ts';
import type { Agreement } from '../federate.ts';
import { type FixedStages, fixContributions } from '../masks/mask-stages.ts';
import { openMasks } from '../masks/open-masks.ts';
import { siteSet } from '../masks/site-set.ts';
import type { SealedMaskKeys, SealedMaskReveals } from '../protocol/mask-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { fixedStages, fixStage, maskMessages, maskStudy } from './mask-records.ts';
import type { ActiveSet } from './stored-contributions.ts';
import { inStudy, isCollecting, type StudySession } from './study-session.ts';

/** The masks that are left in the sum of these contributions, or who must come back. */
export async function maskAnswer(
  context: CoordinatorContext,
  id: string,
  agreed: Agreement,
  bySite: ActiveSet['bySite'],
): Promise<PartyAnswer | Failure> {
  const masks = maskStudy(agreed);
  const sites = [...bySite.keys()];
  const fixed = await fixedContributions(context, id, agreed, sites);
  if ('problem' in fixed) return fixed;
  const [keys, reveals] = await Promise.all([
    maskMessages<SealedMaskKeys>(context.store.db, id, 'keys'),
    maskMessages<SealedMaskReveals>(context.store.db, id, 'reveals'),
  ]);
  const opened = await openMasks(
    masks,
    fixed,
    {
      keys: new Map(keys.map((one) => [one.site, one])),
      reveals: new Map(reveals.map((one) => [one.site, one])),
    },
    agreed.layout,
  );
  if ('liars' in opened && opened.liars.length > 0) await logLiars(context, id, opened.liars);
  return opened;
}

/** Logs who gave wrong shares, once. */
async function logLiars(
  context: CoordinatorContext,
  id: string,
  sites: readonly string[],
): Promise<void> {
  const logged = await context.store.db
    .selectFrom('audit')
    .select('position')
    .where('study', '=', id)
    .where('event', '=', 'wrong-shares')
    .executeTakeFirst();
  if (logged !== undefined) return;
  await inStudy(context, id, async (session) => {
    session.record('wrong-shares', { sites });
  });
}

/** Fixes which contributions are in the total, once: the sites sign it, and open no other. */
async function fixedContributions(
  context: CoordinatorContext,
  id: string,
  agreed: Agreement,
  sites: readonly string[],
): Promise<FixedStages | Failure> {
  const masks = maskStudy(agreed);
  const before = await fixedStages(context.store.db, id);
  if (before.contributions === undefined) {
    if (before.shares === undefined) return notBegun;
    const contributions = fixContributions(masks, before, sites);
    if (typeof contributions !== 'string') return contributions;
    await inStudy(context, id, async (session) => {
      if ((await fixedStages(session.db, id)).contributions !== undefined) return;
      await fixStage(session, 'contributions', contributions, sites.length);
    });
  }
  const fixed = await fixedStages(context.store.db, id);
  const signed = siteSet(masks.terms.roster, fixed.contributions!) ?? [];
  const there = new Set(sites);
  const left = signed.filter((site) => !there.has(site));
  if (left.length === 0) return fixed;
  return {
    problem: `${left.join(', ')} left after the sites had signed who takes part: the total cannot be opened`,
    remedy: 'make a new study without the site',
  };
}

const notBegun: Failure = {
  problem: 'the sites have not agreed on masks',
  remedy: 'reopen the study, and ask the sites to join',
};

/** Refuses a contribution before the shares, after the end, without shares, or a second one: a mask hides one contribution. */
export async function refuseUnmasked(
  { db, id, study }: StudySession,
  agreed: Agreement,
  site: string,
  sequence: number,
): Promise<void> {
  const { masks } = agreed.aggregation;
  if (masks === undefined) return;
  const refused = (problem: string) =>
    new Refusal('conflict', problem, 'ask the analyst for a new study');
  if (sequence !== 1) throw refused('a mask hides one contribution: each site contributes once');
  const { shares } = await fixedStages(db, id);
  const dealers = shares === undefined ? [] : (siteSet(masks.roster, shares) ?? []);
  if (!dealers.includes(site)) throw refused('the site has sent no shares of its masks in time');
  if (!isCollecting(study.state)) {
    throw refused('the study has closed, and the sites sign who is in its total');
  }
}

/** Closes a study whose sites agree on masks when all sites with shares have contributed or left. */
export async function closeIfAllMasked(session: StudySession, agreed: Agreement): Promise<void> {
  const { masks } = agreed.aggregation;
  if (masks === undefined || session.study.state !== 'collecting') return;
  const { shares } = await fixedStages(session.db, session.id);
  if (shares === undefined) return;
  const awaited = await session.db
    .selectFrom('sites')
    .select('name')
    .where('study', '=', session.id)
    .where('state', 'in', ['invited', 'ready'])
    .execute();
  const names = new Set(awaited.map(({ name }) => name));
  if (!(siteSet(masks.roster, shares) ?? []).some((site) => names.has(site))) {
    session.close('complete');
  }
}

/** Refuses to collect again once the sites may have signed who takes part. */
export async function refuseReopening({ db, id }: StudySession): Promise<void> {
  if ((await fixedStages(db, id)).contributions === undefined) return;
  throw new Refusal(
    'conflict',
    'the sites sign who is in the total, and open no other one',
    'make a new study',
  );
}
