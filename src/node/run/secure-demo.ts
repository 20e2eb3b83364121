import { aggregationOf } from '../../aggregation/aggregations.ts';
import { partyTexts } from '../../aggregation/who-sees.ts';
import { parseStudy } from '../../fusion/study-schema.ts';
import { helperClient } from '../../protocol/helper-client.ts';
import { type Study, studyDigest } from '../../study/study.ts';
import type { Beside, Demo } from './demo-content.ts';
import { startHelper } from './demo-helper.ts';

/** A demo in which two parties add: nobody sees the sums of one site. */
export function secureDemo(demo: Demo): Demo {
  return {
    ...demo,
    title: `${demo.title}, and nobody sees one site’s sums`,
    beside: (folder) => besideHelper(demo, folder),
  };
}

async function besideHelper({ study, sites }: Demo, folder: string): Promise<Beside> {
  const names = sites.map(({ name }) => name);
  const { address, terms, roster, keyLines, stop } = await startHelper(names, folder);
  const secured = parseStudy({
    ...study,
    aggregation: {
      kind: 'two-aggregators',
      helper: terms,
      roster,
      minimumSites: sites.length,
    },
  });
  return {
    study: secured,
    about: `A helper runs at ${address}, with its own store and keys; in earnest, another organisation runs it.
Each site made its key with suffice key, and the study has them on its roster:

${keyLines}
`,
    added: `The coordinator added what it got, the helper added the masks, and together they opened the sum over ${sites.length} sites. Then
the coordinator solved. This is the result:`,
    seen: async () => seenText(secured, address),
    stop,
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
