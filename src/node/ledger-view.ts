import type { ReleaseOutcome } from '../disclosure/history.ts';
import { spentByRows } from '../disclosure/spent.ts';
import { epsilonOf } from '../privacy/calibration.ts';
import { outcomeOf } from '../site/home.ts';
import type { Release } from '../site/ledger-chain.ts';
import type { FolderHome } from './site-home.ts';

/** What has left a site and what it spent, for people and programs. */
export interface LedgerView {
  readonly schema: 'suffice/ledger@1';
  readonly folder: string;
  readonly intact: boolean;
  readonly problem?: string;
  readonly remedy?: string;
  readonly releases: readonly ReleaseView[];
  /** By rows: private releases that share some, and √Σμ² over them with the ε it is at δ. */
  readonly spent: readonly {
    readonly releases: readonly string[];
    readonly mu: number;
    readonly epsilon: number;
    readonly delta: number;
  }[];
}

export interface ReleaseView
  extends Omit<Release, 'columns' | 'shared' | 'charge' | 'labels' | 'weights'> {
  /** What it cost its rows; none of an exact release. */
  readonly mu?: number;
  readonly at: string;
  /** Where it went; what waits has no such place yet. */
  readonly to?: string;
  readonly outcome: ReleaseOutcome | 'waiting';
  /** Names of the columns it was made of; none where they were not written down. */
  readonly columns?: readonly string[];
}

/** The δ at which a spent μ is told as an ε. */
export const TOLD_DELTA = 1e-5;

/** Everything of a site's ledger that is worth knowing. */
export async function ledgerView(home: FolderHome): Promise<LedgerView> {
  const doubt = await home.verify();
  const lines = await home.ledger();
  const known = new Set(lines.map(({ digest }) => digest));
  const waiting = (await home.waiting()).filter(({ release }) => !known.has(release.digest));
  const releases = [
    ...lines.map((line) => ({ ...line, outcome: outcomeOf(line) })),
    ...waiting.map(({ release, approvedAt }) => ({
      ...release,
      at: approvedAt,
      outcome: 'waiting' as const,
    })),
  ];
  const once = new Map(releases.map((release) => [release.digest, release]));
  const spent = spentByRows(
    [...once.values()].flatMap(({ study, site, digest, charge, shared }) =>
      charge === undefined
        ? []
        : { study, site, digest, ...charge, ...(shared === undefined ? {} : { shared }) },
    ),
  );
  return {
    schema: 'suffice/ledger@1',
    folder: home.folder,
    intact: doubt === undefined,
    ...doubt,
    releases: releases.map(viewOf),
    spent: spent.map((one) => ({
      ...one,
      epsilon: epsilonOf(one.mu, TOLD_DELTA),
      delta: TOLD_DELTA,
    })),
  };
}

function viewOf(
  release: Omit<ReleaseView, 'columns'> & Pick<Release, 'columns' | 'charge'>,
): ReleaseView {
  const { at, to, study, site, sequence, mode, rows, numbers, bytes, digest, charge } = release;
  return {
    at,
    ...(to === undefined ? {} : { to }),
    ...{ study, site, sequence, mode, rows, numbers, bytes, digest },
    ...(release.columns === undefined ? {} : { columns: release.columns.map(({ name }) => name) }),
    ...(charge === undefined ? {} : { mu: charge.mu }),
    outcome: release.outcome,
  };
}
