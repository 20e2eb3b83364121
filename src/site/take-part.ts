import type { Acknowledgement } from '../disclosure/acknowledgement.ts';
import type { Audit } from '../disclosure/rule.ts';
import type { StudyClient } from '../protocol/client.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Pool } from '../rows/pool.ts';
import type { Watch } from '../rows/watch.ts';
import { linksText } from '../vertical/links-text.ts';
import type { PartyExchange } from './exchange-mail.ts';
import { type Joined, sendPrepared } from './join.ts';
import { exchangeColumns } from './party-exchange.ts';
import { reviewParty } from './party-review.ts';
import { refuseAudit, unacknowledged } from './prepare-contribution.ts';
import { type PreparedParty, preparedShare } from './prepare-party.ts';

/** What a party that takes part needs from its platform. */
export interface TakingPart extends Omit<PartyExchange, 'client' | 'membership' | 'store'> {
  readonly client: StudyClient;
  readonly pool: Pool;
  readonly watch: Watch;
  /** Gets how many people are linked, line by line, before any column leaves. */
  linked(lines: readonly string[]): void;
  /** Asks about warnings that only the linked rows give; false: no column leaves. */
  approve(open: readonly Acknowledgement[], audit: Audit | undefined): Promise<boolean>;
}

/**
 * An approved party takes part: links its rows with the others, audits the linked rows before a column leaves, exchanges masked columns,
 * sends its share, and stores the receipt. Waits for the other parties.
 */
export async function takePart(
  party: PreparedParty,
  { client, pool, watch, linked, approve, ...exchanging }: TakingPart,
  acknowledged: readonly string[],
): Promise<Joined> {
  const { study, rows, membership, store } = party;
  let review = party.review;
  const exchange: PartyExchange = { ...exchanging, client, membership, store };
  const { part, share } = await exchangeColumns(exchange, study, rows, async (order, links) => {
    const own = [{ name: membership.site, passes: links.passes }];
    linked(linksText(links.people, own, study.columnsAt.passes));
    review = await reviewParty(party, order, pool, watch);
    refuseAudit(review, 'no column was sent');
    const unseen = unacknowledged(review, acknowledged);
    if (unseen.length > 0 && !(await approve(unseen, review.audit))) {
      throw new Refusal(
        'not-allowed',
        `the audit of the linked rows warns of ${unseen.join(', ')}, and you did not approve; no column was sent`,
        'take part again when you are ready: it goes on where it was',
      );
    }
    return review.statistic;
  });
  const prepared = preparedShare(party, review, part.people, share);
  return sendPrepared(client, membership, prepared, store, exchange.notice);
}
