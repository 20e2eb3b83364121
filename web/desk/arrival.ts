import type { Failure } from '../../src/failure.ts';
import type { SiteStatus, StudyState } from '../../src/protocol/messages.ts';
import { forgottenBy, type Standing } from '../../src/site/join.ts';
import type { Release } from '../../src/site/ledger-chain.ts';
import type { BrowserHome, KeptReceipt } from './browser-home.ts';
import { type StudyTold, toldStudy } from './study-told.ts';

/** The study as a site finds it, how the site stands in it, and what this browser knows of both. */
export interface Arrival {
  readonly study: StudyTold;
  readonly site: string;
  readonly state: StudyState;
  readonly deadline?: string;
  readonly quorum: number;
  readonly sites: readonly Pick<SiteStatus, 'name' | 'state'>[];
  readonly own: SiteStatus;
  /** Whether the study has something of this site, so that a further file needs a word on what it is. */
  readonly contributed: boolean;
  /** Number of the newest resolution. */
  readonly result?: number;
  /** Why a closed study has no resolution. */
  readonly problem?: string;
  /** Of a private study that has published all its budget is for: nothing more can count. */
  readonly spent: boolean;
  /** Where the coordinator is, without `https://`. */
  readonly host: string;
  readonly home: HomeTold | Failure;
}

/** What this browser keeps of the site. */
export interface HomeTold {
  /** The key it signs with. */
  readonly key: string;
  readonly receipts: readonly KeptReceipt[];
  /** Approved here, and without a receipt yet. */
  readonly waiting?: {
    readonly release: Release;
    readonly approvedAt: string;
    readonly file: string;
  };
  readonly doubt?: Failure;
  /** How many contributions the study has had of this site that this browser knows nothing of. */
  readonly elsewhere: number;
}

/** Puts an arrival together; makes no request. */
export async function toldArrival(
  standing: Standing,
  home: BrowserHome | Failure,
): Promise<Arrival> {
  const { view, site, coordinator } = standing;
  const own = view.sites.find(({ name }) => name === site)!;
  return {
    study: toldStudy(standing.agreed, view.sites.length),
    site,
    state: view.state,
    ...(view.deadline === undefined ? {} : { deadline: view.deadline }),
    quorum: view.quorum,
    sites: view.sites.map(({ name, state }) => ({ name, state })),
    own,
    contributed: own.state === 'contributed' || own.late > 0,
    ...(view.resolution === undefined ? {} : { result: view.resolution.number }),
    ...(view.problem === undefined ? {} : { problem: view.problem }),
    spent: isSpent(standing),
    host: new URL(coordinator).host,
    home: 'problem' in home ? home : await toldHome(standing, home),
  };
}

/** With local noise each site spends for itself; else the study publishes so often and no more. */
function isSpent({ agreed: { method }, view }: Standing): boolean {
  const totals = method.noise?.totals;
  return totals !== undefined && (view.resolution?.number ?? 0) >= totals;
}

async function toldHome(standing: Standing, home: BrowserHome): Promise<HomeTold> {
  const { agreed, site } = standing;
  const doubt = await home.verify();
  const pending = await home.pending(agreed.digest, site);
  const forgotten = await forgottenBy(home, standing);
  return {
    key: (await home.key()).key,
    receipts: await home.receipts(agreed.digest, site),
    ...(doubt === undefined ? {} : { doubt }),
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
