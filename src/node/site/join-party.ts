import { defined } from '../../defined.ts';
import { contribution } from '../../federate.ts';
import type { StudyClient } from '../../protocol/client.ts';
import { Refusal } from '../../protocol/refusal.ts';
import type { SigningKey } from '../../protocol/signature.ts';
import { signContribution } from '../../protocol/signed-contribution.ts';
import { secureWords } from '../../random/secure-words.ts';
import { releasedLabels } from '../../rows/inspection.ts';
import type { Pool } from '../../rows/pool.ts';
import { openSource } from '../../rows/sources.ts';
import { taggedColumns } from '../../rows/tagged-columns.ts';
import { auditText } from '../../site/audit-text.ts';
import { type Joined, numberingOf, type SiteMembership, sendPrepared } from '../../site/join.ts';
import { exchangeColumns, exchangeTerms } from '../../site/party-exchange.ts';
import {
  type PartyReview,
  type PartyReviewing,
  partyAgreement,
  reviewParty,
} from '../../site/party-review.ts';
import { partyText } from '../../site/party-text.ts';
import { type Prepared, refuseAudit, unacknowledged } from '../../site/prepare-contribution.ts';
import { readingText } from '../../site/release-text.ts';
import type { SiteStore } from '../../site/site-store.ts';
import { encodeContribution } from '../../statistic/envelope.ts';
import { entriesOf, wordsOf } from '../../statistic/layout.ts';
import type { RingVector } from '../../statistic/ring.ts';
import { digestBytes } from '../../study/digest.ts';
import { describer } from '../../table/describe.ts';
import { linksText } from '../../vertical/links-text.ts';
import { keyCounts, refuseDuplicates } from '../../vertical/party.ts';
import { partyColumns, readParty } from '../../vertical/read-party.ts';
import { partyModel, verticalStudy } from '../../vertical/vertical-study.ts';
import { nodeHost } from '../compute/host.ts';
import { useNativeCrypto } from '../compute/native-crypto.ts';
import type { FileJoinRequest, JoinTools } from './file-join.ts';
import type { SiteScreen } from './site-screen.ts';

/** A party's file, read and reviewed; nothing has been sent. */
interface PreparedParty extends PartyReviewing {
  readonly membership: SiteMembership;
  readonly key: SigningKey;
  readonly review: PartyReview;
}

/** Reads the file, shows what would be sent and learnt, and audits the party's own columns over all its complete rows. */
async function prepareParty(
  { path, encoding, decimal, missing, disclosure, again, acknowledged, answered }: FileJoinRequest,
  membership: SiteMembership,
  store: SiteStore,
  screen: SiteScreen,
  pool: Pool,
): Promise<PreparedParty> {
  useNativeCrypto();
  const { agreed, site } = membership;
  const study = verticalStudy(agreed);
  exchangeTerms(study);
  if (answered !== undefined || (again ?? 'add') !== 'add' || membership.nextSequence > 1) {
    throw new Refusal(
      'conflict',
      'a party with its own columns contributes once, from rows that it can link',
      'join with the file itself; for other rows ask for a new study',
    );
  }
  const part = partyModel(study, site);
  const source = await openSource(nodeHost, { path }, partyColumns(study, site), encoding, decimal);
  const bar = screen.watch('reading', source.length);
  const rows = await readParty(study, part, nodeHost, source, missing, bar.update).finally(
    bar.done,
  );
  const counts = keyCounts(study, rows);
  refuseDuplicates(study, counts, source.name);
  const reviewing = { study, part, rows, source, store, ...defined({ disclosure }) };
  const everyRow = Uint32Array.from({ length: rows.block.rows }, (_, r) => r);
  const review = await reviewParty(reviewing, everyRow, pool, screen.watch);
  const own = partyAgreement(study, part);
  const described = describer(own.columns, {});
  described.add(rows.block);
  const summary = {
    statistic: review.statistic,
    rows: rows.block.rows,
    dropped: rows.dropped,
    missing: {},
  };
  screen.show(readingText(own, path, { summary, description: described.finish() }, screen.ink));
  screen.show(partyText(study, part, counts, screen.ink));
  if (review.audit !== undefined) screen.show(auditText(review.audit, screen.ink, acknowledged));
  return { ...reviewing, membership, key: await store.key(), review };
}

/** The contribution of a party's share. */
function preparedShare(
  party: PreparedParty,
  review: PartyReview,
  rows: number,
  values: RingVector,
): Prepared {
  const { membership, study, part, key, source } = party;
  const { agreed, site } = membership;
  const numbering = numberingOf(membership);
  const share = { layout: study.layout, values };
  const summary = { statistic: review.statistic, rows, dropped: party.rows.dropped, missing: {} };
  const made = contribution(
    agreed,
    site,
    { ...summary, statistic: share, released: share },
    numbering,
  );
  const file = encodeContribution(signContribution(made, key), 'short');
  const own = partyAgreement(study, part);
  const { tagged, audit, reviewed } = review;
  return {
    release: {
      ...{ study: agreed.digest, site, ...numbering, rows },
      ...{ numbers: entriesOf(agreed.layout), bytes: file.length, digest: digestBytes(file) },
      ...{ columns: taggedColumns(own), labels: releasedLabels(own.method) },
      ...{ tagForm: 'cells', fileRows: tagged.used.length },
    },
    source: source.version,
    summary,
    released: share,
    description: describer(own.columns, {}).finish(),
    columns: [],
    mismatches: [],
    tags: tagged.own,
    over: tagged.over,
    ...defined({ audit }),
    file,
    signedBy: key.key,
    reviewed,
  };
}

/** Everything in a party's `join` except sending. The share is made up: the real one needs the other parties. */
export async function rehearseParty(
  request: FileJoinRequest,
  membership: SiteMembership,
  store: SiteStore,
  screen: SiteScreen,
  pool: Pool,
): Promise<Prepared> {
  const party = await prepareParty(request, membership, store, screen, pool);
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
  const party = await prepareParty(request, membership, store, screen, pool);
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
  const approved = [...acknowledged, ...open];
  const { study, rows } = party;
  let review = party.review;
  const exchange = { client, membership, store, notice: screen.notice };
  const { part, share } = await exchangeColumns(exchange, study, rows, async (order, links) => {
    const parties = [{ name: membership.site, passes: links.passes }];
    for (const line of linksText(links.people, parties, study.columnsAt.passes))
      screen.notice(line);
    review = await reviewParty(party, order, pool, screen.watch);
    refuseAudit(review, 'no column was sent');
    const unseen = unacknowledged(review, approved);
    if (unseen.length > 0 && !(await screen.approve(unseen, review.audit))) {
      throw new Refusal(
        'not-allowed',
        `the audit of the linked rows warns of ${unseen.join(', ')}, and you did not approve; no column was sent`,
        'run the command again when you are ready',
      );
    }
    return review.statistic;
  });
  const prepared = preparedShare(party, review, part.people, share);
  return sendPrepared(client, membership, prepared, store, screen.notice);
}
