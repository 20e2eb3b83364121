import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { baselineClient, type Client } from '../baselines/client.ts';
import { drawSites, type GeneratorSetting, type Rows } from '../data/generator.ts';
import { pooled } from '../privacy/trial.ts';
import { finish, type Work } from './work.ts';

/** One draw of a setting. */
export interface Draw {
  readonly setting: GeneratorSetting;
  /** Training rows, by site. */
  readonly sites: readonly Rows[];
  /** Held-out rows of all sites. */
  readonly test: Rows;
}

export function drawOf(setting: GeneratorSetting, seed: number): Draw {
  return finish(drawnSiteBySite(setting, seed));
}

/** The same as work with progress, for many rows. */
export function* drawnSiteBySite(setting: GeneratorSetting, seed: number): Work<Draw> {
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
  return sites.map((rows) => baselineClient(kernels, rows));
}

/** The same, with the seconds it took. */
export function* clientsOneByOne({
  sites,
}: Pick<Draw, 'sites'>): Work<{ readonly clients: readonly Client[]; readonly seconds: number }> {
  const kernels = reproducibleKernels();
  const clients: Client[] = [];
  let seconds = 0;
  for (const rows of sites) {
    const begun = performance.now();
    clients.push(baselineClient(kernels, rows));
    seconds += (performance.now() - begun) / 1000;
    yield clients.length / sites.length;
  }
  return { clients, seconds };
}
