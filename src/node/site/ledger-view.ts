import { defined } from '../../defined.ts';
import type { ReleaseOutcome } from '../../disclosure/release.ts';
import { spentByRows } from '../../disclosure/spent.ts';
import { epsilonOf } from '../../privacy/calibration.ts';
import type { Release } from '../../site/ledger-chain.ts';
import { outcomeOf } from '../../site/site-store.ts';
import type { SiteFolder } from './site-folder.ts';

/** The releases of a site and the budget they spent, for people and programs. */
export interface LedgerView {
  readonly schema: 'suffice/ledger@1';
  readonly folder: string;
  readonly intact: boolean;
  readonly problem?: string;
  readonly remedy?: string;
  readonly releases: readonly ReleaseView[];
  /** Groups of private releases that share rows, with √Σμ² and the ε that it gives at δ. */
  readonly spent: readonly {
    readonly releases: readonly string[];
    readonly mu: number;
    readonly epsilon: number;
    readonly delta: number;
  }[];
}

export interface ReleaseView
  extends Omit<Release, 'columns' | 'shared' | 'charge' | 'labels' | 'weights'> {
  /** Its privacy cost; absent for an exact release. */
  readonly mu?: number;
  readonly at: string;
  /** The recipient; absent while the release waits. */
  readonly to?: string;
  readonly outcome: ReleaseOutcome | 'waiting';
  /** Names of its columns; absent in old lines, which do not have them. */
  readonly columns?: readonly string[];
}

/** The δ for which a spent μ is shown as an ε. */
export const SHOWN_DELTA = 1e-5;

/** The view of a site's ledger. */
export async function ledgerView(store: SiteFolder): Promise<LedgerView> {
  const doubt = await store.verify();
  const lines = await store.ledger();
  const known = new Set(lines.map(({ digest }) => digest));
  const waiting = (await store.waiting()).filter(({ release }) => !known.has(release.digest));
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
      charge === undefined ? [] : { study, site, digest, ...charge, ...defined({ shared }) },
    ),
  );
  return {
    schema: 'suffice/ledger@1',
    folder: store.folder,
    intact: doubt === undefined,
    ...doubt,
    releases: releases.map(viewOf),
    spent: spent.map((one) => ({
      ...one,
      epsilon: epsilonOf(one.mu, SHOWN_DELTA),
      delta: SHOWN_DELTA,
    })),
  };
}

function viewOf(
  release: Omit<ReleaseView, 'columns'> & Pick<Release, 'columns' | 'charge'>,
): ReleaseView {
  const { at, to, study, site, sequence, mode, rows, numbers, bytes, digest, charge } = release;
  const { evaluated } = release;
  return {
    at,
    ...defined({ to }),
    ...{ study, site, sequence, mode, rows, numbers, bytes, digest },
    ...(release.columns === undefined ? {} : { columns: release.columns.map(({ name }) => name) }),
    ...(charge === undefined ? {} : { mu: charge.mu }),
    ...defined({ evaluated }),
    outcome: release.outcome,
  };
}
