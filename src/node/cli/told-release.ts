import type { Release } from '../../site/ledger-chain.ts';

/** A release as a command tells of it: without what only the ledger needs. */
export function toldRelease(release: Release): object {
  const { study, site, sequence, mode, rows, numbers, bytes, digest, charge } = release;
  const told = { study, site, sequence, mode, rows, numbers, bytes, digest };
  return charge === undefined ? told : { ...told, mu: charge.mu };
}
