import type { Transaction } from 'kysely';
import { defined } from '../defined.ts';
import type { Agreement } from '../federate.ts';
import type { CreateStudy, StudyCreated } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { studyId } from '../protocol/study-part.ts';
import { canonicalJson } from '../study/canonical-json.ts';
import { accessRow, newToken, requireOperator } from './access.ts';
import { checkedAgreement } from './checked-agreement.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { enrolmentRow } from './enrolments.ts';
import { futureTime } from './life.ts';
import { requiredParent } from './parent-study.ts';
import { requireSiteName } from './site-name.ts';
import { requireTrueStart } from './start-of-study.ts';
import { StudySession } from './study-session.ts';
import type { AccessTable, SitesTable, StudiesTable, Tables } from './tables.ts';

const ROWS_A_STATEMENT = 500;

/** Creates a study and one invitation for each site. */
export async function createStudy(
  context: CoordinatorContext,
  caller: Caller,
  request: CreateStudy,
): Promise<StudyCreated> {
  requireOperator(caller);
  const agreed = checkedAgreement(request.study);
  const parent = await requiredParent(context, agreed, request.parent);
  if (parent?.derived !== true) await requireTrueStart(context, agreed);
  const at = await context.now();
  const { deadline } = agreed.study.quorum ?? {};
  const row = studyRow(agreed, at, deadline === undefined ? null : futureTime(deadline, at));
  for (const site of request.sites) requireSiteName(site, agreed);
  if (new Set(request.sites).size < request.sites.length) {
    throw new Refusal('bad-request', 'two sites have the same name', 'name each site once');
  }
  const { roster } = agreed.aggregation;
  if (roster !== undefined) requireRoster(roster, request.sites);
  const { invitationsExpire } = request;
  const expires = invitationsExpire === undefined ? null : futureTime(invitationsExpire, at);
  const { open } = request;
  if (open === undefined && request.sites.length === 0) {
    throw new Refusal(
      'bad-request',
      'no site is invited',
      'name a site, or open the study to devices',
    );
  }
  if (open !== undefined) refuseOpen(agreed);
  if (open?.ends !== undefined) futureTime(open.ends, at);
  const openToken = open === undefined ? undefined : newToken('open');
  const adminToken = newToken('study');
  const invitations = request.sites.map((site) => ({ site, token: newToken('site') }));
  const access: AccessTable[] = [
    accessRow(adminToken, { role: 'study', study: row.id, site: null }, at),
    ...invitations.map(({ site, token }) =>
      accessRow(token, { role: 'site', study: row.id, site }, at, expires),
    ),
    ...(openToken === undefined
      ? []
      : [accessRow(openToken, { role: 'open', study: row.id, site: null }, at)]),
  ];
  const state = await context.store.write(row.id, async (db) => {
    const sites = request.sites.map((name) => siteRow(row.id, name, roster?.[name]));
    await insertStudy(db, row, sites);
    if (open !== undefined) {
      await db.insertInto('enrolments').values(enrolmentRow(row.id, open)).execute();
    }
    if (parent !== undefined) {
      await db
        .insertInto('parents')
        .values({ ...parent.row, study: row.id })
        .execute();
    }
    for (const rows of chunks(access)) await db.insertInto('access').values(rows).execute();
    const session = new StudySession(context, db, row, at);
    session.record('created', {
      sites: request.sites,
      ...(open === undefined ? {} : { open: true }),
    });
    if (request.draft !== true) {
      session.change({ state: 'open' });
      session.record('opened', {});
    }
    await session.save();
    return session.study.state;
  });
  return {
    schema: 'suffice/study-created@1',
    id: row.id,
    digest: agreed.digest,
    state,
    adminToken,
    invitations,
    ...defined({ openToken }),
    coordinatorKey: context.signing.key,
  };
}

/** Refuses to open a study whose promise counts on sites that somebody knows. */
function refuseOpen({ aggregation }: Agreement): void {
  const needs =
    aggregation.roster !== undefined || aggregation.masks !== undefined
      ? 'a roster'
      : aggregation.minimumSites === undefined
        ? undefined
        : 'minimumSites';
  if (needs === undefined) return;
  throw new Refusal(
    'bad-request',
    `a study with ${needs} cannot be open to devices: one person could be many of them`,
    'invite each site by name, or leave it out of the study',
  );
}

/** Refuses sites that are not those of the roster: the study fixes who takes part, and with which key. */
function requireRoster(roster: Readonly<Record<string, string>>, sites: readonly string[]): void {
  const known = Object.keys(roster);
  const same = known.length === sites.length && sites.every((site) => Object.hasOwn(roster, site));
  if (same) return;
  throw new Refusal(
    'bad-request',
    'the sites are not those of the study’s roster',
    `invite exactly these: ${known.slice(0, 12).join(', ')}${known.length > 12 ? ', …' : ''}`,
  );
}

/** A new study: a draft without a log. */
export function studyRow(
  { study, digest, aggregation }: Agreement,
  at: string,
  deadline: string | null,
): StudiesTable {
  const { sites = 1 } = study.quorum ?? {};
  const { minimumSites = 1 } = aggregation;
  return {
    id: studyId(digest),
    digest,
    document: canonicalJson(study),
    state: 'draft',
    created_at: at,
    deadline,
    quorum: Math.max(sites, minimumSites),
    problem: null,
    due: 0,
    audit_length: 0,
    audit_head: digest,
    first: null,
    round: 1,
    from_resolution: null,
    erased_at: null,
  };
}

/** Stores a new study and its sites; refuses one that the coordinator has. */
export async function insertStudy(
  db: Transaction<Tables>,
  row: StudiesTable,
  sites: readonly SitesTable[],
): Promise<void> {
  const known = await db
    .selectFrom('studies')
    .select('id')
    .where('id', '=', row.id)
    .executeTakeFirst();
  if (known !== undefined) {
    throw new Refusal(
      'conflict',
      `the coordinator already has this study, as ${row.id}`,
      'use the link of that study, or give the new study another name',
    );
  }
  await db.insertInto('studies').values(row).execute();
  for (const rows of chunks(sites)) await db.insertInto('sites').values(rows).execute();
}

/** A new site: invited, not yet heard from; its key is known from an earlier round. */
export function siteRow(study: string, name: string, key: string | null = null): SitesTable {
  return {
    study,
    name,
    state: 'invited',
    key,
    next_sequence: 1,
    bytes_up: 0,
    bytes_down: 0,
    device: 0,
  };
}

function chunks<T>(items: readonly T[]): T[][] {
  const length = Math.ceil(items.length / ROWS_A_STATEMENT);
  return Array.from({ length }, (_, k) =>
    items.slice(k * ROWS_A_STATEMENT, (k + 1) * ROWS_A_STATEMENT),
  );
}
