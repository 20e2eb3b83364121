import type { SiteStatus, StudyState } from '../../src/protocol/messages.ts';
import type { LedgerDoubt } from '../../src/site/home.ts';
import type { Standing } from '../../src/site/join.ts';
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
  /** Where the coordinator is, without `https://`. */
  readonly host: string;
  readonly home: HomeTold | LedgerDoubt;
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
  readonly doubt?: LedgerDoubt;
  /** How many contributions the study has had of this site that this browser knows nothing of. */
  readonly elsewhere: number;
}

/** Puts an arrival together; makes no request. */
export async function toldArrival(
  standing: Standing,
  home: BrowserHome | LedgerDoubt,
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
    host: new URL(coordinator).host,
    home: 'problem' in home ? home : await toldHome(standing, home),
  };
}

async function toldHome(
  { agreed, site, nextSequence }: Standing,
  home: BrowserHome,
): Promise<HomeTold> {
  const doubt = await home.verify();
  const pending = await home.pending(agreed.digest, site);
  const lines = await home.ledger();
  const known = new Set(
    lines
      .filter((line) => line.study === agreed.digest && line.site === site)
      .map(({ sequence }) => sequence),
  );
  const before = Array.from({ length: nextSequence - 1 }, (_, k) => k + 1);
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
    elsewhere: before.filter(
      (sequence) => !known.has(sequence) && sequence !== pending?.release.sequence,
    ).length,
  };
}
