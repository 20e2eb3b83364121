import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { type Client, clientOf } from '../baselines/client.ts';
import { pooled } from '../privacy/trial.ts';
import { drawSites, type Rows, type Setting } from './generator.ts';

/** One draw of a setting. */
export interface Draw {
  readonly setting: Setting;
  /** Rows to learn from, by site. */
  readonly sites: readonly Rows[];
  /** Held-out rows of all sites. */
  readonly test: Rows;
}

export function drawOf(setting: Setting, seed: number): Draw {
  const sites: Rows[] = [];
  const held: Rows[] = [];
  for (const { train, test } of drawSites(setting, seed)) {
    sites.push(train);
    held.push(test);
  }
  return { setting, sites, test: pooled(held) };
}

/** The sites as clients of a baseline. */
export function clientsOf({ sites }: Pick<Draw, 'sites'>): readonly Client[] {
  const kernels = reproducibleKernels();
  return sites.map((rows) => clientOf(kernels, rows));
}
