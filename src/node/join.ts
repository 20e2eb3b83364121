import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Audit, RuleId } from '../disclosure/rule.ts';
import { type Agreement, agreement } from '../federate.ts';
import { type ClientOptions, type StudyClient, studyClient } from '../protocol/client.ts';
import type { Link } from '../protocol/link.ts';
import type { SealedReceipt, StudyView } from '../protocol/messages.ts';
import { printable } from '../protocol/printable.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { SigningKey } from '../protocol/signature.ts';
import { receiptStory, standingStory, studyStory } from '../site/story.ts';
import type { ContributionTurn } from '../statistic/envelope.ts';
import type { DisclosureTerms } from '../study/study.ts';
import {
  type Onlooker,
  type Preparation,
  type Prepared,
  prepareContribution,
  refuseAudit,
  unacknowledged,
} from './prepare-contribution.ts';
import {
  type Pending,
  type Release,
  refuseDoubtfulLedger,
  type SiteHome,
  type Source,
} from './site-home.ts';
import type { ReadingChoices } from './site-table.ts';

/** What to join with which file. */
export interface JoinRequest extends ReadingChoices {
  readonly link: Link;
  readonly path: string;
  /** What a site that has contributed before does with its rows: none unless given. */
  readonly again?: 'add' | 'replace';
  /** Rules of the site's own, beside those of the study. */
  readonly disclosure?: DisclosureTerms;
  /** Rules of the audit whose warnings the site has taken note of. */
  readonly acknowledged?: readonly string[];
  readonly client?: ClientOptions;
}

/** How a person follows, and decides. */
export interface JoinParty extends Onlooker {
  /** Throws where nobody could be asked; called before the coordinator is told anything. */
  refuseUnattended(): void;
  /** Whether what was shown may leave, with what the audit warns of and nobody has acknowledged. */
  approve(warnings: readonly RuleId[], audit: Audit | undefined): Promise<boolean>;
}

/** What has been acknowledged. */
export interface Joined {
  readonly release: Release;
  readonly receipt: SealedReceipt;
  /** Path of the receipt. */
  readonly kept: string;
}

/** Everything of `join` but the sending: fetches the study, judges the file here, and shows what would leave. */
export async function rehearseJoin(
  request: JoinRequest,
  home: SiteHome,
  party: Onlooker,
): Promise<Prepared> {
  await refuseDoubtfulLedger(home);
  const client = studyClient(request.link, request.client);
  const standing = await fetchStudy(client, request.link, party);
  const turn = turnOf(standing, request.again);
  return prepareContribution(await preparationOf(request, home, standing, turn), party);
}

async function preparationOf(
  request: JoinRequest,
  home: SiteHome,
  standing: Standing,
  turn: ContributionTurn,
): Promise<Preparation & { readonly key: SigningKey }> {
  const { agreed, site } = standing;
  const place = request.link.coordinatorKey;
  const forgotten = await forgottenBy(home, standing);
  return { ...request, agreed, site, turn, place, key: await home.key(), home, forgotten };
}

/** A site joins: shows the study, reads the file, shows what would leave, asks, sends, keeps the receipt. */
export async function joinStudy(
  request: JoinRequest,
  home: SiteHome,
  party: JoinParty,
): Promise<Joined> {
  await refuseDoubtfulLedger(home);
  const client = studyClient(request.link, request.client);
  const standing = await fetchStudy(client, request.link, party);
  const source = await sourceOf(request.path);
  const resumed = await resume(client, home, standing, { source, ...request }, party);
  if (resumed !== undefined) return resumed;
  const turn = turnOf(standing, request.again);
  party.refuseUnattended();
  const preparation = await preparationOf(request, home, standing, turn);
  const prepared = await prepareContribution(preparation, party);
  refuseAudit(prepared, 'nothing was sent');
  const warnings = unacknowledged(prepared, request.acknowledged ?? []);
  if (!(await party.approve(warnings, prepared.audit))) {
    throw new Refusal(
      'not-allowed',
      'you did not approve; no statistic was sent',
      'run the command again when you are ready',
    );
  }
  await shakeHands(client, preparation.key, prepared);
  const { release, tags, file, reviewed } = prepared;
  const pending: Pending = { release, tags, source, approvedAt: new Date().toISOString(), file };
  await home.hold(pending, reviewed);
  return deliver(client, home, standing, pending, party);
}

/** Numbers of contributions that the coordinator has had of this site, and this folder has not made. */
async function forgottenBy(
  home: SiteHome,
  { agreed, site, nextSequence }: Standing,
): Promise<number[]> {
  const lines = await home.ledger();
  const known = new Set(
    lines
      .filter((line) => line.study === agreed.digest && line.site === site)
      .filter(({ outcome }) => outcome !== 'refused')
      .map((line) => line.sequence),
  );
  return Array.from({ length: nextSequence - 1 }, (_, k) => k + 1).filter((k) => !known.has(k));
}

/** Tells the coordinator the key and, what was judged here already, that the columns fit. */
async function shakeHands(
  client: StudyClient,
  { key }: SigningKey,
  { columns }: Prepared,
): Promise<void> {
  const { accepted, mismatches } = await client.offer({ key, columns });
  if (accepted) return;
  throw new Refusal(
    'conflict',
    `the coordinator does not accept what the file holds${mismatches.length === 0 ? ', and does not say why' : `: ${printable(mismatches[0].problem)}`}; no statistic was sent`,
    mismatches.length === 0 ? 'ask who runs the study' : printable(mismatches[0].remedy),
  );
}

/** The study, and how the asking site stands in it. */
interface Standing {
  readonly view: StudyView;
  readonly agreed: Agreement;
  readonly site: string;
  readonly nextSequence: number;
  readonly coordinator: string;
}

async function fetchStudy(
  client: StudyClient,
  { coordinator }: Link,
  party: Onlooker,
): Promise<Standing> {
  const view = await client.view();
  if (view.you === undefined) {
    throw new Refusal(
      'not-allowed',
      'this link is not an invitation of a site',
      'ask who runs the study for an invitation',
    );
  }
  const { site, nextSequence } = view.you;
  const agreed = agreement(view.study);
  party.show(`${studyStory(view.study, view.digest, party.ink)}\n${standingStory(view)}`);
  return { view, agreed, site, nextSequence, coordinator };
}

/** Finishes what an interrupted run began, as far as that is still right. */
async function resume(
  client: StudyClient,
  home: SiteHome,
  standing: Standing,
  wanted: { readonly source: Source; readonly again?: 'add' | 'replace' },
  party: Onlooker,
): Promise<Joined | undefined> {
  const { agreed, site, nextSequence } = standing;
  const pending = await home.pending(agreed.digest, site);
  if (pending === undefined) return undefined;
  const same =
    isDeepStrictEqual(pending.source, wanted.source) &&
    (wanted.again === undefined || wanted.again === pending.release.mode);
  const receipts = await client.receipts();
  const receipt = receipts.find(({ digest }) => digest === pending.release.digest);
  if (receipt !== undefined) {
    party.notice('the coordinator has what an interrupted run sent; its receipt is kept now');
    const joined = await conclude(home, standing, pending, receipt);
    return same ? joined : undefined;
  }
  if (same && pending.release.sequence === nextSequence) {
    party.notice(`resuming what you approved at ${pending.approvedAt}`);
    return deliver(client, home, standing, pending, party);
  }
  party.notice(
    same
      ? 'an interrupted contribution is out of date and is discarded'
      : 'an interrupted contribution was of another file, or of this one before it changed; it is discarded',
  );
  await giveUp(home, standing, pending);
  return undefined;
}

function turnOf(
  { view, site, nextSequence }: Standing,
  again: JoinRequest['again'],
): ContributionTurn {
  if (view.state === 'draft') {
    throw new Refusal(
      'conflict',
      'the study is not open yet',
      'join again once who runs it has opened it',
    );
  }
  const own = view.sites.find(({ name }) => name === site);
  const contributed = own?.state === 'contributed' || (own?.late ?? 0) > 0;
  if (contributed && again === undefined) {
    throw new Refusal(
      'conflict',
      `${printable(site)} has already contributed`,
      'say --add if the file holds new rows only, --replace if it stands in place of all sent before',
    );
  }
  return { sequence: nextSequence, mode: again ?? 'add' };
}

async function deliver(
  client: StudyClient,
  home: SiteHome,
  standing: Standing,
  pending: Pending,
  party: Onlooker,
): Promise<Joined> {
  try {
    return await conclude(home, standing, pending, await client.contribute(pending.file));
  } catch (failure) {
    if (failure instanceof Refusal && FINAL.has(failure.code)) {
      // It may have been taken, and the answer lost: then it is there.
      const receipts = await client.receipts().catch(() => []);
      const taken = receipts.find(({ digest }) => digest === pending.release.digest);
      if (taken !== undefined) return conclude(home, standing, pending, taken);
      await giveUp(home, standing, pending);
      party.notice('the coordinator did not take the contribution; nothing waits to be sent');
    }
    throw failure;
  }
}

/** Refusals that sending the same file again cannot mend. */
const FINAL = new Set<Refusal['code']>([
  'bad-request',
  'conflict',
  'gone',
  'not-allowed',
  'too-large',
  'unprocessable',
]);

/** Forgets what waits to be sent. It may have left, even if the coordinator says that it did not take it. */
async function giveUp(
  home: SiteHome,
  { coordinator }: Standing,
  { release, tags }: Pending,
): Promise<void> {
  const at = new Date().toISOString();
  await home.record({ at, to: coordinator, outcome: 'refused', ...release }, tags);
  await home.discard(release.study, release.site);
}

/** Writes the ledger, keeps the receipt, and only then forgets what was to be sent. */
async function conclude(
  home: SiteHome,
  { agreed, coordinator }: Standing,
  { release, tags }: Pending,
  receipt: SealedReceipt,
): Promise<Joined> {
  const at = receipt.receivedAt;
  await home.record({ at, to: coordinator, outcome: 'acknowledged', ...release }, tags);
  const kept = await home.keepReceipt(receipt, receiptStory(receipt, agreed));
  await home.discard(release.study, release.site);
  return { release, receipt, kept };
}

async function sourceOf(path: string): Promise<Source> {
  const { size, mtimeMs } = await stat(path);
  return { path: resolve(path), bytes: size, modified: mtimeMs };
}
