import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aggregationOf } from '../../aggregation/aggregations.ts';
import { partyTexts } from '../../aggregation/who-sees.ts';
import { parseStudy } from '../../fusion/study-schema.ts';
import type { Study } from '../../study/study.ts';
import { grouped } from '../../text/number-text.ts';
import type { Beside, Demo, DemoSite } from './demo-content.ts';
import { startHelper } from './demo-helper.ts';
import { partyTraffic } from './party-traffic.ts';
import { penguinDemo, termsBeside } from './penguin-demo.ts';
import { type Birds, birdsAt, joinedBirds, KEY, partColumns } from './split-penguins.ts';

/** The Palmer penguins with their columns at two parties, each of which has birds that the other has not. */
export function verticalDemo(): Demo {
  const { study, sites: islands } = penguinDemo();
  const lines = islands.flatMap(({ path }, k) => {
    const rows = readFileSync(path, 'utf8').trimEnd().split('\n');
    return k === 0 ? rows : rows.slice(1);
  });
  const tables = { field: birdsAt('field', lines), laboratory: birdsAt('laboratory', lines) };
  const split = parseStudy({
    ...study,
    name: 'penguins, columns at two parties',
    partition: { kind: 'vertical', key: [KEY], parties: partColumns },
  });
  const sites = [partyOf('field', tables.field), partyOf('laboratory', tables.laboratory)];
  return {
    title: 'Columns at two parties, one model',
    about: `A field team measured and weighed penguins, and a laboratory found their sex and species. Each has birds that the other
has not. The ${KEY} of a bird, which both wrote down, says which is which (the data are real, the split and the bands
were made for this demo). Neither party alone has the columns of the model:`,
    study: split,
    sites,
    audited: `Before anything left, each party checked its own columns with the disclosure rules, and before a column left, again
over the linked birds. Too few birds in common would have been refused.`,
    pool: (folder) => {
      const path = join(folder, 'joined.csv');
      writeFileSync(path, textOf(joinedBirds(tables.field, tables.laboratory)));
      return path;
    },
    compare: termsBeside('two parties', 'joined table'),
    called: {
      one: 'party',
      all: 'two parties',
      pooled: 'joined table',
      question: `Would the joined table give the same? The same study on one file, the two files joined by ${KEY}:`,
    },
    beside: (folder) => besideParties(split, tables, sites, folder),
  };
}

type Party = keyof typeof partColumns;

function partyOf(name: Party, table: Birds): DemoSite {
  const holds = `${grouped(table.rows.length)} birds: ${table.header.join(', ')}`;
  const bytes = Buffer.byteLength(textOf(table));
  return { name, path: join(name, `${name}.csv`), holds, bytes, acknowledged: [] };
}

function textOf({ header, rows }: Birds): string {
  return `${[header, ...rows].map((cells) => cells.join(',')).join('\n')}\n`;
}

/** Writes the file of each party into its folder, and starts the helper that links their rows. */
async function besideParties(
  study: Study,
  tables: Readonly<Record<Party, Birds>>,
  sites: readonly DemoSite[],
  folder: string,
): Promise<Beside> {
  for (const name of ['field', 'laboratory'] as const) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, `${name}.csv`), textOf(tables[name]));
  }
  const rowsOf = (name: string) => tables[name as Party].rows.length;
  const names = sites.map(({ name }) => name);
  const { address, terms, roster, keyLines, stop } = await startHelper(names, folder);
  const partition = { kind: 'vertical', key: [KEY], parties: partColumns, roster, helper: terms };
  const secured = parseStudy({ ...study, partition });
  return {
    study: secured,
    about: `A helper runs at ${address}, with its own store and keys; in earnest, an organisation that works with neither party
runs it. Each party made its key with suffice key, and the study has them on its roster:

${keyLines}
`,
    added: `The helper linked the birds that both parties have, and dealt random numbers. The parties sent each other masked columns,
and each sent the coordinator a share. The shares add up to the sums of the joined table. This is the result:`,
    traffic: (visits) => partyTraffic(visits, sites, rowsOf),
    seen: async () => seenText(secured),
    stop,
  };
}

function seenText(study: Study): string {
  const lines = [
    ...partyTexts(aggregationOf(study)).map(({ party, sees }) => `  ${party.padEnd(13)}${sees}`),
    '  each party   its own rows, which of its own birds the other has, uniform numbers, and the model',
  ];
  return `Who has seen what:\n\n${lines.join('\n')}`;
}
