import type { Release } from '../site-home.ts';

/** A release as a command tells of it: without what only the ledger needs. */
export function toldRelease(release: Release): object {
  const { columns: _, labels: __, weights: ___, shared: ____, charge, ...told } = release;
  return charge === undefined ? told : { ...told, mu: charge.mu };
}
