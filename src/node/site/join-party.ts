import { defined } from '../../defined.ts';
import type { StudyClient } from '../../protocol/client.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { secureWords } from '../../random/secure-words.ts';
import type { Pool } from '../../rows/pool.ts';
import { auditText } from '../../site/audit-text.ts';
import type { Joined, SiteMembership } from '../../site/join.ts';
import { partyAgreement } from '../../site/party-review.ts';
import { partyText } from '../../site/party-text.ts';
import { type Prepared, refuseAudit, unacknowledged } from '../../site/prepare-contribution.ts';
import {
  contributesOnce,
  type PreparedParty,
  preparedShare,
  prepareParty,
} from '../../site/prepare-party.ts';
import { readingText } from '../../site/release-text.ts';
import type { SiteStore } from '../../site/site-store.ts';
import { takePart } from '../../site/take-part.ts';
import { entriesOf, wordsOf } from '../../statistic/layout.ts';
import { useNativeCrypto } from '../compute/native-crypto.ts';
import type { FileJoinRequest, JoinTools } from './file-join.ts';
import type { SiteScreen } from './site-screen.ts';

/** Reads the file, and shows what would be sent and learnt. */
async function shownParty(
  { path, encoding, decimal, missing, disclosure, again, acknowledged, answered }: FileJoinRequest,
  membership: SiteMembership,
  store: SiteStore,
  screen: SiteScreen,
  pool: Pool,
): Promise<PreparedParty> {
  useNativeCrypto();
  if (answered !== undefined || (again ?? 'add') !== 'add') throw contributesOnce();
  const request = {
    rows: { path },
    missing,
    ...defined({ encoding, decimal, disclosure }),
  };
  const party = await prepareParty(request, membership, store, pool, screen.watch);
  const { study, part, counts, review } = party;
  screen.show(readingText(partyAgreement(study, part), path, party, screen.ink));
  screen.show(partyText(study, part, counts, screen.ink));
  if (review.audit !== undefined) screen.show(auditText(review.audit, screen.ink, acknowledged));
  return party;
}

/** Everything in a party's `join` except sending. The share is made up: the real one needs the other parties. */
export async function rehearseParty(
  request: FileJoinRequest,
  membership: SiteMembership,
  store: SiteStore,
  screen: SiteScreen,
  pool: Pool,
): Promise<Prepared> {
  const party = await shownParty(request, membership, store, screen, pool);
  const { layout } = party.study;
  const random = new Uint32Array(entriesOf(layout) * wordsOf(layout)).map(secureWords());
  return preparedShare(party, party.review, party.rows.block.rows, random);
}

/** Joins a study whose parties hold different columns: reads, shows, asks, links, exchanges, sends its share, stores the receipt. */
export async function joinParty(
  request: FileJoinRequest,
  client: StudyClient,
  membership: SiteMembership,
  store: SiteStore,
  screen: JoinTools,
  pool: Pool,
): Promise<Joined> {
  screen.refuseUnattended();
  const party = await shownParty(request, membership, store, screen, pool);
  const { acknowledged = [] } = request;
  refuseAudit(party.review, 'nothing was sent');
  const open = unacknowledged(party.review, acknowledged);
  if (!(await screen.approve(open, party.review.audit))) {
    throw new Refusal(
      'not-allowed',
      'you did not approve; nothing was sent',
      'run the command again when you are ready',
    );
  }
  const { notice, watch, approve } = screen;
  return takePart(
    party,
    {
      ...{ client, pool, watch, notice, approve },
      linked(lines) {
        for (const line of lines) notice(line);
      },
    },
    [...acknowledged, ...open],
  );
}
