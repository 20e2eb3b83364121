import { type Command, Option } from 'commander';
import { defined } from '../defined.ts';
import { type DialectName, dialectNames } from '../sql/dialect-name.ts';
import { visibleJson } from '../text/visible-text.ts';
import { refuseUnwritable } from './flags.ts';
import { type Io, pathIn } from './io.ts';

interface SqlFlags {
  readonly dialect: DialectName;
  readonly table: string;
  readonly facts?: boolean;
  readonly persons: boolean;
  readonly site?: string;
  readonly out?: string;
  readonly json?: boolean;
}

/** `suffice sql`: the statistic of a study as a query. */
export function addSqlCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  program
    .command('sql')
    .description('write the statistic of a study as a query, for the database that holds the rows')
    .argument('<study>', 'JSON file of the study', asPath)
    .addOption(
      new Option('--dialect <engine>', 'the database')
        .choices([...dialectNames])
        .makeOptionMandatory(),
    )
    .option('--table <name>', 'the table, schema.table, or a select in quotes', 'your_table')
    .option('--facts', 'also what the disclosure rules must know; these answers stay at the site')
    .option('--no-persons', 'with --facts: the table has no ids of persons')
    .option('--site <name>', 'the site, for a study with an effect of the site')
    .option('--out <file>', 'write the queries to a file', asPath)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Run the queries, save each answer as CSV with a header or as JSON, and go on with
  suffice contribute STUDY.json --from-result ANSWER.csv --out site.suffice`,
    )
    .action((study, flags) => runSql(study, flags, io));
}

async function runSql(path: string, flags: SqlFlags, io: Io): Promise<void> {
  refuseUnwritable('--out', flags.out);
  const { readStudy } = await import('../node/files/json-file.ts');
  const { agreement } = await import('../federate.ts');
  const { dialects } = await import('../sql/dialects.ts');
  const { sumsQuery } = await import('../sql/sums-query.ts');
  const { factsQuery } = await import('../sql/facts-query.ts');
  const { quotedTable } = await import('../sql/quoted-table.ts');
  const agreed = agreement(await readStudy(path));
  const dialect = dialects[flags.dialect];
  const table = quotedTable(flags.table, dialect);
  const traits = { ...defined({ site: flags.site }), persons: flags.persons };
  const queries = [
    ...sumsQuery(agreed, dialect, table, traits),
    ...(flags.facts === true ? factsQuery(agreed, dialect, table, traits) : []),
  ];
  const text =
    flags.json === true
      ? `${visibleJson(JSON.stringify({ schema: 'suffice/sql@1', study: agreed.digest, dialect: dialect.name, queries }, null, 2))}\n`
      : queries.map(({ sql }) => `${sql.trimEnd()};\n`).join('\n');
  if (flags.out === undefined) {
    io.stdout.write(text);
    return;
  }
  const { writeSafely } = await import('../node/files/safe-file.ts');
  await writeSafely(flags.out, new TextEncoder().encode(text), 0o666);
  const count = queries.length === 1 ? 'the query' : `${queries.length} queries`;
  io.stdout.write(`${flags.out} holds ${count} for ${dialect.title}\n`);
}
