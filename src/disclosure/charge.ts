import { composed } from '../privacy/budget.ts';
import type { Charge } from '../privacy/charge.ts';

/** A charge as it was written down, and for which study; the placement may not have been. */
export interface Charged extends Partial<Omit<Charge, 'mu'>> {
  readonly study: string;
  readonly site: string;
  readonly mu: number;
}

/** √Σμ² over charges of the same rows: central ones count once a study, site and place. */
export function spentOn(charges: readonly Charged[]): number {
  const central = new Map<string, number>();
  const each: number[] = [];
  for (const { study, site, place, mu, placement } of charges) {
    const key = JSON.stringify([study, site, place]);
    if (placement === 'central') central.set(key, Math.max(mu, central.get(key) ?? 0));
    else each.push(mu);
  }
  return composed([...central.values(), ...each]);
}
