import type { Kysely } from 'kysely';
import { defined } from '../defined.ts';
import type { SealedErasure, SealedReceipt } from '../protocol/messages.ts';
import type { SumView } from '../protocol/sum-message.ts';
import { newestForward, parentOf } from './parent-records.ts';
import type { Tables } from './tables.ts';

/** What a region has sent to its parent; undefined in a study of no region. */
export async function sumView(db: Kysely<Tables>, id: string): Promise<SumView | undefined> {
  const parent = await parentOf(db, id);
  if (parent === undefined) return undefined;
  const last = await newestForward(db, id);
  const problem = parent.problem ?? undefined;
  const left = parent.left_at !== null;
  if (last === undefined) return { state: left ? 'left' : 'unsent', ...defined({ problem }) };
  const { sequence, receipt } = last;
  const known: SealedReceipt | SealedErasure | undefined =
    receipt === null ? undefined : JSON.parse(receipt);
  if (last.kind === 'withdrawal') {
    const at = known !== undefined && 'erasedAt' in known ? known.erasedAt : undefined;
    return { state: left ? 'left' : 'withdrawn', sequence, ...defined({ at, problem }) };
  }
  const sites: number = JSON.parse(last.members).contributions.length;
  const got = known !== undefined && 'receivedAt' in known ? known : undefined;
  const state = left ? 'leaving' : got === undefined ? 'unsent' : 'sent';
  return {
    state,
    sequence,
    sites,
    ...defined({ at: got?.receivedAt, late: got?.late === true ? true : undefined, problem }),
  };
}
