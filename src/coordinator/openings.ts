import type { Kysely } from 'kysely';
import { defined } from '../defined.ts';
import type {
  AgreeToOpen,
  OpenedContribution,
  OpeningLine,
  OpeningView,
  SealedOpening,
} from '../protocol/opening-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { isSealed } from '../protocol/signature.ts';
import { canonicalJson } from '../study/canonical-json.ts';
import { notAllowed, requireRunner, requireSite } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { knownSite, requireOwnKey } from './invitations.ts';
import { type ActiveSet, activeNow } from './stored-contributions.ts';
import { inStudy, type StudySession } from './study-session.ts';
import type { OpeningsTable, Tables } from './tables.ts';

/** Records the sites of a total that was refused as impossible: each may be asked to open its contributions. */
export async function offerOpening({ db, id }: StudySession, active: ActiveSet): Promise<void> {
  const known = new Map((await openingRows(db, id)).map((row) => [row.site, row]));
  const sites = openableIn(active);
  for (const { site, finding, contributions } of known.values()) {
    // A site that was named stays on the list: its contributions are erased.
    if (finding === 'wrong' || sites.get(site) === contributions) continue;
    await db.deleteFrom('openings').where('study', '=', id).where('site', '=', site).execute();
    known.delete(site);
  }
  for (const [site, contributions] of sites) {
    if (known.has(site)) continue;
    const nothing = { asked_at: null, agreement: null, finding: null, why: null };
    await db
      .insertInto('openings')
      .values({ study: id, site, contributions, ...nothing })
      .execute();
  }
}

/** Asks the sites of a refused total to open their contributions. Nothing is opened before a site agrees. */
export async function askOpening(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<void> {
  requireRunner(caller, id);
  await inStudy(context, id, async (session) => {
    const { db, at } = session;
    const rows = await refusedRows(session);
    const unasked = rows.filter(({ asked_at }) => asked_at === null).map(({ site }) => site);
    if (unasked.length === 0) return;
    await db
      .updateTable('openings')
      .set({ asked_at: at })
      .where('study', '=', id)
      .where('asked_at', 'is', null)
      .execute();
    session.record('opening-asked', { sites: unasked });
  });
}

/** Stores a site's signed word that its contributions may be opened. The coordinator then asks the helper, as due work. */
export async function agreeToOpen(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  { opening }: AgreeToOpen,
): Promise<void> {
  const site = requireSite(caller, id);
  if (opening.site !== site) throw notAllowed('the agreement was made for another site');
  await inStudy(context, id, async (session) => {
    if (opening.study !== session.study.digest) {
      throw notAllowed('the agreement was made for another study');
    }
    if (!isSealed(opening)) throw notAllowed('the signature of the agreement is not valid');
    requireOwnKey(await knownSite(session, site), opening.seal.key);
    const row = (await openingRows(session.db, id)).find((one) => one.site === site);
    // A repeated word changes nothing: the first answer may have been lost.
    if (row !== undefined && row.agreement !== null) return;
    const asked = (await refusedRows(session)).find((one) => one.site === site);
    if (asked?.asked_at == null) {
      throw new Refusal(
        'conflict',
        'nobody has asked this site to open its contributions',
        'agree only when the analyst asks',
      );
    }
    if (asked.contributions !== canonicalJson(opening.contributions)) {
      throw notAllowed('the agreement was made for other contributions');
    }
    await session.db
      .updateTable('openings')
      .set({ agreement: JSON.stringify(opening) })
      .where('study', '=', id)
      .where('site', '=', site)
      .execute();
    session.change({ due: 1 });
    session.record('opening-agreed', { site });
  });
}

/** The sites of the refused total as a caller sees them; a site also sees what it would open. */
export async function openingView(
  db: Kysely<Tables>,
  id: string,
  caller: Caller,
): Promise<OpeningView | undefined> {
  const rows = await openingRows(db, id);
  if (rows.length === 0) return undefined;
  const askedAt = rows.find(({ asked_at }) => asked_at !== null)?.asked_at ?? undefined;
  const own = caller.role === 'site' ? caller.site : undefined;
  return {
    ...defined({ askedAt }),
    sites: rows.map(({ site, finding, agreement, why, contributions }): OpeningLine => {
      const shown: readonly OpenedContribution[] | undefined =
        site === own ? JSON.parse(contributions) : undefined;
      const state = finding ?? (agreement === null ? 'silent' : 'agreed');
      return { site, state, ...defined({ why: why ?? undefined, contributions: shown }) };
    }),
  };
}

/** The words of sites that have agreed, in order of name. */
export function agreementsIn(rows: readonly OpeningsTable[]): SealedOpening[] {
  return rows.flatMap(({ agreement }) => (agreement === null ? [] : [JSON.parse(agreement)]));
}

export function openingRows(db: Kysely<Tables>, id: string): Promise<OpeningsTable[]> {
  return db.selectFrom('openings').selectAll().where('study', '=', id).orderBy('site').execute();
}

/** The rows of a study whose total is refused now; refuses any other study. */
async function refusedRows({ db, id, study }: StudySession): Promise<OpeningsTable[]> {
  const rows = (await openingRows(db, id)).filter(({ finding }) => finding !== 'wrong');
  const active = openableIn(await activeNow(db, id, { includeLate: false }));
  const same =
    rows.length === active.size &&
    rows.every(({ site, contributions }) => active.get(site) === contributions);
  if (study.state === 'closed' && rows.length > 0 && same) return rows;
  throw new Refusal(
    'conflict',
    'the study has no total that was refused as impossible, so nothing has to be opened',
    'look at the study: it says why it has no resolution',
  );
}

/** The contributions of each site in a set, as text. */
export function openableIn({ bySite }: ActiveSet): Map<string, string> {
  return new Map(
    Array.from(bySite, ([site, contributions]) => [
      site,
      canonicalJson(contributions.map(({ sequence, digest }) => ({ sequence, digest }))),
    ]),
  );
}
