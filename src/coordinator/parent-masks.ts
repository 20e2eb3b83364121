import { type Agreement, agreement } from '../federate.ts';
import type { Link } from '../protocol/link.ts';
import { agreeOnMask, helpToOpen, type MaskExchange, maskStateOf } from '../site/mask-exchange.ts';
import type { RingVector } from '../statistic/ring.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { changeParent, parentOf } from './parent-records.ts';
import { parentClient } from './parent-study.ts';
import type { ForwardsTable, ParentsTable } from './tables.ts';

/** Thrown in place of waiting: a stage of the parent's masks is not over. */
const unfinished = Symbol('a stage is not over');

/** What a region needs to agree on masks with the other sites of its parent; undefined where they agree on none. Each stage is asked for once. */
export function maskExchange(
  context: CoordinatorContext,
  { study: id, document }: ParentsTable,
  link: Link,
): MaskExchange | undefined {
  const agreed: Agreement = agreement(JSON.parse(document));
  if (agreed.aggregation.masks === undefined) return undefined;
  return {
    client: parentClient(context, link),
    membership: { agreed, site: siteIn(context, agreed) },
    store: {
      key: async () => context.signing,
      masks: async () => (await parentOf(context.store.db, id))?.masks ?? undefined,
      keepMasks: (_, __, masks) => context.store.write(id, (db) => changeParent(db, id, { masks })),
    },
    notice: () => {},
    signal: AbortSignal.abort(unfinished),
  };
}

/** The name of the region on the roster of its parent: the one with its key. */
function siteIn(
  { signing }: CoordinatorContext,
  { aggregation: { roster = {} } }: Agreement,
): string {
  return Object.keys(roster).find((site) => roster[site] === signing.key) ?? '';
}

/** Goes through the stages of the parent's masks that are over; whether the region still has a part in a later one. */
export async function advanceMasks(
  exchange: MaskExchange,
  last: ForwardsTable | undefined,
): Promise<boolean> {
  const { used, done } = await maskStateOf(exchange);
  if (done === true) return false;
  if (used !== true) return (await maskNow(exchange)) === undefined;
  if (last?.kind !== 'sum' || last.receipt === null) return true;
  return (await untilWaiting(() => helpToOpen(exchange).then(() => 'helped'))) === undefined;
}

/** The region's mask; undefined while others have not sent their messages. Refuses a mask that was used. */
export function maskNow(exchange: MaskExchange): Promise<RingVector | undefined> {
  return untilWaiting(() => agreeOnMask(exchange));
}

/** What the work gives; undefined if it would wait. */
async function untilWaiting<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error === unfinished) return undefined;
    throw error;
  }
}
