import type { Agreement } from '../../federate.ts';
import { databaseAddress } from '../../rows/database-address.ts';
import type { SourceVersion } from '../../rows/source.ts';
import { factsQuery } from '../../sql/facts-query.ts';
import type { SqlAnswer } from '../../sql/sql-answer.ts';
import { explainQueries, queriedTable } from './pushdown.ts';
import { openSession } from './session.ts';
import { sumsQueries } from './sums-queries.ts';
import { refuseOtherType } from './typed-columns.ts';

/** Answers of a database to the queries of a study, and the state of the rows they are about. */
export interface DatabaseAnswers {
  readonly answers: readonly SqlAnswer[];
  readonly source: SourceVersion;
}

/** Asks a database for the sums of a site, and for the facts that its disclosure rules need, in one state. No row leaves it. */
export async function answersOfDatabase(
  path: string,
  agreed: Agreement,
  site: string,
): Promise<DatabaseAnswers> {
  const address = databaseAddress(path);
  const { table, session } = await openSession(address);
  try {
    for (const wanted of agreed.columns) {
      const column = table.columns.find(({ name }) => name === wanted.name);
      if (column !== undefined) refuseOtherType(wanted, column, path);
    }
    return await session.use(async () => {
      const rows = { scheme: address.scheme, name: path, table, agreed, site };
      const queried = queriedTable(rows);
      const { dialect, traits } = queried;
      const person = agreed.columns.some(({ column }) => column.type === 'id');
      const sums = await sumsQueries(table, agreed, queried);
      const queries = [
        ...sums.queries,
        ...factsQuery(agreed, dialect, table.from, { ...traits, persons: person }),
      ];
      explainQueries(rows, queries.length, sums.travels);
      const answers: SqlAnswer[] = [];
      for (const { sql } of queries) answers.push(await table.query(sql));
      return { answers, source: { path, ...table.state } };
    });
  } finally {
    await session.close();
  }
}
