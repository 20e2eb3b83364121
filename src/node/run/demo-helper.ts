import { join } from 'node:path';
import type { HelperDescription } from '../../protocol/helper-messages.ts';
import { shortKey } from '../../site/roster-key.ts';
import { runSuffice, serveSuffice } from './demo-process.ts';

/** A helper as its own process, and the keys of the sites that a study with it names. */
export interface DemoHelper {
  readonly address: string;
  /** The helper as a study names it. */
  readonly terms: { readonly url: string; readonly key: string; readonly signingKey: string };
  readonly roster: Readonly<Record<string, string>>;
  /** The keys in short, a line for each site. */
  readonly keyLines: string;
  stop(): Promise<void>;
}

/** What a helper prints when it is ready. */
type ServingHelper = Omit<HelperDescription, 'schema'> & { readonly address: string };

/** Makes the key of each site, then starts a helper with a store and keys of its own. */
export async function startHelper(sites: readonly string[], folder: string): Promise<DemoHelper> {
  const keys = await Promise.all(
    sites.map(async (name): Promise<[string, string]> => {
      const key = await runSuffice(['key', '--home', join(folder, name)]);
      return [name, key.trim()];
    }),
  );
  const { ready, stop } = await serveSuffice<ServingHelper>([
    ...['helper', 'serve', '--json', '--port', '0', '--data', join(folder, 'helper')],
  ]);
  return {
    address: ready.address,
    terms: { url: ready.address, key: ready.keys.x25519, signingKey: ready.signingKey },
    roster: Object.fromEntries(keys),
    keyLines: keys.map(([name, key]) => `  ${name.padEnd(11)}${shortKey(key)}`).join('\n'),
    stop,
  };
}
