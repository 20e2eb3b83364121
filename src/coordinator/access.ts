import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Kysely, Transaction } from 'kysely';
import { Refusal } from '../protocol/refusal.ts';
import { digestBytes } from '../study/digest.ts';
import { toBase64url } from '../text/base64url.ts';
import type { Caller } from './coordinator.ts';
import { keptQuery } from './kept-query.ts';
import type { Store } from './store.ts';
import type { AccessTable, Tables } from './tables.ts';

const prefixes: Readonly<Record<AccessTable['role'], string>> = {
  operator: 'sfo_',
  study: 'sfc_',
  site: 'sfi_',
  open: 'sfe_',
};

/** A new bearer secret: the role's prefix and 256 random bits. */
export function newToken(role: AccessTable['role']): string {
  return prefixes[role] + toBase64url(crypto.getRandomValues(new Uint8Array(32)));
}

/** The only form in which a bearer secret is stored. */
export function tokenHash(token: string): string {
  return digestBytes(utf8ToBytes(token)).slice('sha256:'.length);
}

/** The row of the access table for a token. */
export function accessRow(
  token: string,
  holder: Pick<AccessTable, 'role' | 'study' | 'site'>,
  createdAt: string,
  expiresAt: string | null = null,
): AccessTable {
  return {
    hash: tokenHash(token),
    ...holder,
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: null,
  };
}

const accessOf = keptQuery((db) =>
  db
    .selectFrom('access')
    .select(['role', 'study', 'site', 'expires_at', 'revoked_at'])
    .where('hash', '=', ''),
);

/**
 * The holder of a token, as a member of `wanted` if that is a round of the token's study; undefined for unknown, expired and
 * revoked tokens.
 */
export async function identify(
  store: Pick<Store, 'db' | 'first'>,
  token: string,
  now: () => Promise<string>,
  wanted?: string,
): Promise<Caller | undefined> {
  const row = await accessOf(store, tokenHash(token));
  if (row === undefined || row.revoked_at !== null) return undefined;
  if (row.expires_at !== null && row.expires_at <= (await now())) return undefined;
  const { role, site } = row;
  if (role === 'operator') return { role };
  if (row.study === null) return undefined;
  const study = await roundOf(store.db, row.study, wanted);
  if (role === 'study' || role === 'open') return { role, study };
  return site === null ? undefined : { role, study, site };
}

/** The round that a caller means: `wanted`, if the study has this round. */
async function roundOf(
  db: Kysely<Tables>,
  first: string,
  wanted: string | undefined,
): Promise<string> {
  if (wanted === undefined || wanted === first) return first;
  const round = await db
    .selectFrom('studies')
    .select('id')
    .where('id', '=', wanted)
    .where('first', '=', first)
    .executeTakeFirst();
  return round?.id ?? first;
}

/** Makes this token the operator's only one. */
export async function appointOperator(store: Store, token: string, at: string): Promise<void> {
  const row = accessRow(token, { role: 'operator', study: null, site: null }, at);
  await store.write('', async (db) => {
    await db
      .updateTable('access')
      .set({ revoked_at: at })
      .where('role', '=', 'operator')
      .where('hash', '!=', row.hash)
      .where('revoked_at', 'is', null)
      .execute();
    await db
      .insertInto('access')
      .values(row)
      .onConflict((conflict) => conflict.column('hash').doUpdateSet({ revoked_at: null }))
      .execute();
  });
}

/** Whether the store knows an operator, who may create studies. */
export async function hasOperator({ db }: Store): Promise<boolean> {
  const row = await db
    .selectFrom('access')
    .select('hash')
    .where('role', '=', 'operator')
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Revokes the tokens of a site, which open every round. */
export async function revokeTokens(
  {
    db,
    first,
    at,
  }: { readonly db: Transaction<Tables>; readonly first: string; readonly at: string },
  site: string,
): Promise<void> {
  await db
    .updateTable('access')
    .set({ revoked_at: at })
    .where('study', '=', first)
    .where('site', '=', site)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Refuses all callers but the operator. */
export function requireOperator(caller: Caller): void {
  if (caller.role !== 'operator') throw notAllowed('only the operator may do this');
}

/** Refuses all callers but the study's analyst and the operator. */
export function requireRunner(caller: Caller, study: string): void {
  if (caller.role === 'operator') return;
  if (caller.role !== 'study' || caller.study !== study) {
    throw notAllowed('only the analyst of the study may do this');
  }
}

/** Refuses callers of another study. */
export function requireMember(caller: Caller, study: string): void {
  if (caller.role !== 'operator' && caller.study !== study) {
    throw notAllowed('the token belongs to another study');
  }
}

/** The calling site's name; refuses callers that are not a site. */
export function requireSite(caller: Caller, study: string): string {
  requireMember(caller, study);
  if (caller.role !== 'site') throw notAllowed('only an invited site may do this');
  return caller.site;
}

export function notAllowed(problem: string): Refusal {
  return new Refusal('not-allowed', problem, 'use the link that was made for this purpose');
}
