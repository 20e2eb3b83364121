import { defined } from '../../src/defined.ts';
import type { Failure } from '../../src/failure.ts';
import type { Agreement } from '../../src/federate.ts';
import { maskStateIn } from '../../src/masks/mask-state.ts';
import { keptTraining } from '../../src/network/kept-training.ts';
import type { SiteStatus, StudyState } from '../../src/protocol/messages.ts';
import { beforeOpeningText } from '../../src/site/before-opening-text.ts';
import { forgottenBy, type SiteMembership } from '../../src/site/join.ts';
import type { Release } from '../../src/site/ledger-chain.ts';
import { openingLines } from '../../src/site/opening-text.ts';
import { strangeKey } from '../../src/site/roster-key.ts';
import type { BrowserSiteStore, KeptReceipt } from './browser-site-store.ts';
import { type StudyTermsView, studyTermsView } from './study-view.ts';

/** What a site sees first: the study, its own membership, and what this browser has stored. */
export interface Landing {
  readonly study: StudyTermsView;
  readonly site: string;
  /** Number of the round, from 2; absent in the first. */
  readonly round?: number;
  readonly state: StudyState;
  readonly deadline?: string;
  readonly quorum: number;
  readonly sites: readonly Pick<SiteStatus, 'name' | 'state'>[];
  readonly own: SiteStatus;
  /** Whether this site has contributed. A further file then needs a choice: add or replace. */
  readonly contributed: boolean;
  /** Number of the newest resolution. */
  readonly result?: number;
  /** Why a closed study has no resolution. */
  readonly problem?: string;
  /** The analyst has asked the sites to open what they sent. */
  readonly opening?: {
    /** Whether this browser can agree, or another one, or the site has agreed. */
    readonly own: 'asked' | 'elsewhere' | 'answered';
    readonly before: readonly string[];
    readonly lines: readonly string[];
  };
  /** The sites agree on masks, and each contributes once. */
  readonly masked: boolean;
  /** The parties hold different columns, and each contributes once. */
  readonly partitioned: boolean;
  /** In a private study: the budget is spent, so further contributions cannot count. */
  readonly spent: boolean;
  /** Address of the coordinator without `https://`. */
  readonly host: string;
  readonly store: StoreView | Failure;
}

/** What this browser has stored for the site. */
export interface StoreView {
  /** The key it signs with. */
  readonly key: string;
  /** Why the site cannot take part with this key: the roster of the study names another one. */
  readonly strange?: Failure;
  readonly receipts: readonly KeptReceipt[];
  /** An approved contribution without a receipt. */
  readonly waiting?: {
    readonly release: Release;
    readonly approvedAt: string;
    readonly file: string;
  };
  readonly doubt?: Failure;
  /** Epochs of a training for this study that was interrupted. */
  readonly trained?: number;
  /** Its masks still hide the sum: the site must help to open it. */
  readonly helps: boolean;
  /** It has begun to exchange messages with other parties: its key alone, or what follows from its file, so that only this file goes on. */
  readonly exchanging?: 'key' | 'file';
  /** Number of this site's contributions that are not in this browser's ledger. */
  readonly elsewhere: number;
}

/** Makes no request. */
export async function landingView(
  membership: SiteMembership,
  store: BrowserSiteStore | Failure,
): Promise<Landing> {
  const { view, site, coordinator } = membership;
  const own = view.sites.find(({ name }) => name === site)!;
  return {
    study: studyTermsView(membership.agreed, view.sites.length, await termsAt(membership)),
    site,
    state: view.state,
    ...defined({ deadline: view.deadline, round: view.round }),
    quorum: view.quorum,
    sites: view.sites.map(({ name, state }) => ({ name, state })),
    own,
    contributed: own.state === 'contributed' || own.late > 0,
    ...(view.resolution === undefined ? {} : { result: view.resolution.number }),
    ...defined({ problem: view.problem, opening: await openingIn(view, site, store) }),
    masked: membership.agreed.aggregation.masks !== undefined,
    partitioned: membership.agreed.aggregation.columnsAt !== undefined,
    spent: isSpent(membership),
    host: new URL(coordinator).host,
    store: 'problem' in store ? store : await storeView(membership, store),
  };
}

/** The study as this site sees it: of a party, its own columns and the keys. */
async function termsAt({ agreed, site }: SiteMembership): Promise<Agreement> {
  if (agreed.aggregation.columnsAt === undefined) return agreed;
  const { agreementAt } = await import('./party-parts.ts');
  return agreementAt(agreed, site);
}

/** What the site is asked to open; undefined before the analyst asks, and once the study is resolved. */
async function openingIn(
  view: SiteMembership['view'],
  site: string,
  store: BrowserSiteStore | Failure,
): Promise<Landing['opening']> {
  const { opening, state, digest } = view;
  if (opening?.askedAt === undefined || state === 'resolved') return undefined;
  const mine = opening.sites.find((one) => one.site === site);
  const receipts = 'problem' in store ? [] : await store.acknowledged(digest, site);
  const sent = new Set(receipts.map((receipt) => receipt.digest));
  const known = mine?.contributions?.every((one) => sent.has(one.digest)) === true;
  const own = mine?.state !== 'silent' ? 'answered' : known ? 'asked' : 'elsewhere';
  return { own, before: beforeOpeningText(view), lines: openingLines(opening) };
}

/** With local noise each site spends its own budget; otherwise the study publishes a fixed number of totals. */
function isSpent({ agreed: { method }, view }: SiteMembership): boolean {
  const totals = method.noise?.totals;
  return totals !== undefined && (view.resolution?.number ?? 0) >= totals;
}

async function storeView(membership: SiteMembership, store: BrowserSiteStore): Promise<StoreView> {
  const { agreed, site } = membership;
  const doubt = await store.verify();
  const pending = await store.pending(agreed.digest, site);
  const forgotten = await forgottenBy(store, membership);
  const trained = trainedEpochs(await store.training?.(agreed.digest, site));
  const { key } = await store.key();
  return {
    key,
    receipts: await store.receipts(agreed.digest, site),
    helps: await mustHelp(membership, store),
    ...defined({ doubt, trained, strange: strangeKey(membership, key) }),
    ...defined({ exchanging: await begunExchange(membership, store) }),
    ...(pending === undefined
      ? {}
      : {
          waiting: {
            release: pending.release,
            approvedAt: pending.approvedAt,
            file: pending.source.path,
          },
        }),
    elsewhere: forgotten.filter((sequence) => sequence !== pending?.release.sequence).length,
  };
}

/** Whether the mask of this site has hidden an acknowledged contribution, and the sum is not opened yet. */
async function mustHelp({ agreed, site }: SiteMembership, store: BrowserSiteStore) {
  const text = await store.masks?.(agreed.digest, site);
  const kept = text === undefined ? undefined : maskStateIn(text, agreed.digest, site);
  if (kept?.used !== true || kept.done === true) return false;
  return (await store.acknowledged(agreed.digest, site)).length > 0;
}

/** How much a party has sent before it has a receipt. */
async function begunExchange(
  { agreed, site }: SiteMembership,
  store: BrowserSiteStore,
): Promise<StoreView['exchanging']> {
  if (agreed.aggregation.columnsAt === undefined) return undefined;
  const text = await store.masks?.(agreed.digest, site);
  const { partyStateIn } = await import('./party-parts.ts');
  const kept = text === undefined ? undefined : partyStateIn(text, agreed.digest, site);
  if (kept === undefined || (await store.acknowledged(agreed.digest, site)).length > 0)
    return undefined;
  return Object.keys(kept.sent).length === 0 ? 'key' : 'file';
}

/** Whole epochs of a kept training. */
function trainedEpochs(text: string | undefined): number | undefined {
  return text === undefined ? undefined : keptTraining(text)?.state.epoch;
}
