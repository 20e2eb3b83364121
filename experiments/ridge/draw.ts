import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { type Client, clientOf } from '../baselines/client.ts';
import { pooled } from '../privacy/trial.ts';
import { drawSites, type Rows, type Setting } from './generator.ts';
import { finish, type Work } from './work.ts';

/** One draw of a setting. */
export interface Draw {
  readonly setting: Setting;
  /** Rows to learn from, by site. */
  readonly sites: readonly Rows[];
  /** Held-out rows of all sites. */
  readonly test: Rows;
}

export function drawOf(setting: Setting, seed: number): Draw {
  return finish(drawnSiteBySite(setting, seed));
}

/** The same, where rows are so many that drawing them takes a while. */
export function* drawnSiteBySite(setting: Setting, seed: number): Work<Draw> {
  const sites: Rows[] = [];
  const held: Rows[] = [];
  for (const { train, test } of drawSites(setting, seed)) {
    sites.push(train);
    held.push(test);
    yield sites.length / setting.sites;
  }
  return { setting, sites, test: pooled(held) };
}

/** The sites as clients of a baseline. */
export function clientsOf({ sites }: Pick<Draw, 'sites'>): readonly Client[] {
  const kernels = reproducibleKernels();
  return sites.map((rows) => clientOf(kernels, rows));
}

/** The same, with the seconds it takes. */
export function* clientsOneByOne({
  sites,
}: Pick<Draw, 'sites'>): Work<{ readonly clients: readonly Client[]; readonly seconds: number }> {
  const kernels = reproducibleKernels();
  const clients: Client[] = [];
  let seconds = 0;
  for (const rows of sites) {
    const begun = performance.now();
    clients.push(clientOf(kernels, rows));
    seconds += (performance.now() - begun) / 1000;
    yield clients.length / sites.length;
  }
  return { clients, seconds };
}
