import { BUDGET_DELTA } from '../../src/disclosure/budget-rule.ts';
import type { ReleaseOutcome } from '../../src/disclosure/history.ts';
import { spentByRows } from '../../src/disclosure/spent.ts';
import type { Failure } from '../../src/failure.ts';
import { epsilonOf } from '../../src/privacy/calibration.ts';
import { studyId } from '../../src/protocol/link.ts';
import { outcomeOf } from '../../src/site/home.ts';
import type { BrowserHome } from './browser-home.ts';

/** What has left from this browser. */
export interface LedgerTold {
  readonly doubt?: Failure;
  readonly releases: readonly ReleaseTold[];
  /** What a row has spent at most in private releases, by groups of them that share rows. */
  readonly spent: readonly {
    readonly releases: number;
    readonly mu: number;
    readonly epsilon: number;
  }[];
  /** The δ at which a spent μ is told as an ε. */
  readonly delta: number;
  /** The lines as they were sealed, one after the other. */
  readonly text: string;
}

export interface ReleaseTold {
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

export async function toldLedger(home: BrowserHome): Promise<LedgerTold> {
  const doubt = await home.verify();
  const lines = await home.ledger();
  const known = new Set(lines.map(({ digest }) => digest));
  const waiting = (await home.waiting()).filter(({ release }) => !known.has(release.digest));
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
    charge === undefined
      ? []
      : [{ study, site, digest, ...charge, ...(shared === undefined ? {} : { shared }) }],
  );
  return {
    ...(doubt === undefined ? {} : { doubt }),
    releases: all.map(({ at, study, site, outcome, rows, bytes, digest, to }) => ({
      ...{ at, study: studyId(study), site, outcome, rows, bytes, digest },
      ...(to === undefined ? {} : { to }),
    })),
    spent: spentByRows(charged).map(({ releases, mu }) => ({
      releases: releases.length,
      mu,
      epsilon: epsilonOf(mu, BUDGET_DELTA),
    })),
    delta: BUDGET_DELTA,
    text: await home.ledgerText(),
  };
}
