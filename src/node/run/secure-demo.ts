import { join } from 'node:path';
import { aggregationOf } from '../../aggregation/aggregations.ts';
import { partyTexts } from '../../aggregation/who-sees.ts';
import { parseStudy } from '../../fusion/study-schema.ts';
import { helperClient } from '../../protocol/helper-client.ts';
import type { HelperDescription } from '../../protocol/helper-messages.ts';
import { shortKey } from '../../site/roster-key.ts';
import { type Study, studyDigest } from '../../study/study.ts';
import type { Beside, Demo } from './demo.ts';
import { runSuffice, serveSuffice } from './demo-process.ts';

/** A demo in which two parties add: nobody sees the sums of one site. */
export function secureDemo(demo: Demo): Demo {
  return {
    ...demo,
    title: `${demo.title}, and nobody sees one site’s sums`,
    beside: (folder) => startHelper(demo, folder),
  };
}

/** What a helper prints when it is ready. */
type ServingHelper = Omit<HelperDescription, 'schema'> & { readonly address: string };

async function startHelper({ study, sites }: Demo, folder: string): Promise<Beside> {
  const data = join(folder, 'helper');
  const keys = await Promise.all(
    sites.map(async ({ name }): Promise<[string, string]> => {
      const key = await runSuffice(['key', '--home', join(folder, name)]);
      return [name, key.trim()];
    }),
  );
  const helper = await serveSuffice<ServingHelper>([
    ...['helper', 'serve', '--json', '--port', '0', '--data', data],
  ]);
  const { address, keys: seals, signingKey } = helper.ready;
  const secured = parseStudy({
    ...study,
    aggregation: {
      kind: 'two-aggregators',
      helper: { url: address, key: seals.x25519, signingKey },
      roster: Object.fromEntries(keys),
      minimumSites: sites.length,
    },
  });
  const keyLines = keys.map(([name, key]) => `  ${name.padEnd(11)}${shortKey(key)}`);
  return {
    study: secured,
    about: `A helper runs at ${address}, with its own store and keys; in earnest, another organisation runs it.
Each site made its key with suffice key, and the study has them on its roster:

${keyLines.join('\n')}
`,
    added: `The coordinator added what it got, the helper added the masks, and together they opened the sum over ${sites.length} sites. Then
the coordinator solved. This is the result:`,
    seen: async () => seenText(secured, address),
    stop: helper.stop,
  };
}

/** What each party has seen, and what the helper signed that it has answered. */
async function seenText(study: Study, address: string): Promise<string> {
  const { statements } = await helperClient(address, { retryFor: 0 }).statements(
    studyDigest(study),
  );
  const lines = [
    ...partyTexts(aggregationOf(study)).map(({ party, sees }) => `  ${party.padEnd(13)}${sees}`),
    '  each site    its own rows and sums, and the model',
    ...statements.map(
      ({ contributions, sites, set }) =>
        `\nThe helper signed that it answered once: ${contributions} contributions of ${sites.length} sites,\n  ${set}`,
    ),
  ];
  return `Who has seen what:\n\n${lines.join('\n')}`;
}
