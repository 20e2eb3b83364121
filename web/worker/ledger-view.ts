import { defined } from '../../src/defined.ts';
import { BUDGET_DELTA } from '../../src/disclosure/budget-rule.ts';
import type { ReleaseOutcome } from '../../src/disclosure/release.ts';
import { spentByRows } from '../../src/disclosure/spent.ts';
import type { Failure } from '../../src/failure.ts';
import { epsilonOf } from '../../src/privacy/calibration.ts';
import { studyId } from '../../src/protocol/study-part.ts';
import { outcomeOf } from '../../src/site/site-store.ts';
import type { BrowserSiteStore } from './browser-site-store.ts';

/** Everything this browser has sent. */
export interface SiteLedgerView {
  readonly doubt?: Failure;
  readonly releases: readonly SiteReleaseView[];
  /** Privacy that one row has spent at most, for each group of private releases that share rows. */
  readonly spent: readonly {
    readonly releases: number;
    readonly mu: number;
    readonly epsilon: number;
  }[];
  /** The δ at which a spent μ is shown as an ε. */
  readonly delta: number;
  /** The sealed lines, in order. */
  readonly text: string;
}

export interface SiteReleaseView {
  readonly at: string;
  /** Id of the study. */
  readonly study: string;
  readonly site: string;
  readonly outcome: ReleaseOutcome | 'waiting';
  readonly rows: number;
  readonly bytes: number;
  readonly digest: string;
  readonly to?: string;
}

export async function siteLedgerView(store: BrowserSiteStore): Promise<SiteLedgerView> {
  const doubt = await store.verify();
  const lines = await store.ledger();
  const known = new Set(lines.map(({ digest }) => digest));
  const waiting = (await store.waiting()).filter(({ release }) => !known.has(release.digest));
  const all = [
    ...lines.map((line) => ({ ...line, outcome: outcomeOf(line) })),
    ...waiting.map(({ release, approvedAt: at }) => ({
      ...release,
      at,
      to: undefined,
      outcome: 'waiting' as const,
    })),
  ];
  const once = [...new Map(all.map((release) => [release.digest, release])).values()];
  const charged = once.flatMap(({ study, site, digest, charge, shared }) =>
    charge === undefined ? [] : [{ study, site, digest, ...charge, ...defined({ shared }) }],
  );
  return {
    ...defined({ doubt }),
    releases: all.map(({ at, study, site, outcome, rows, bytes, digest, to }) => ({
      ...{ at, study: studyId(study), site, outcome, rows, bytes, digest },
      ...defined({ to }),
    })),
    spent: spentByRows(charged).map(({ releases, mu }) => ({
      releases: releases.length,
      mu,
      epsilon: epsilonOf(mu, BUDGET_DELTA),
    })),
    delta: BUDGET_DELTA,
    text: await store.ledgerText(),
  };
}
