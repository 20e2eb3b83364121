import type { Connection, FieldPacket } from 'mysql2';
import type { SqlAnswer } from '../../sql/sql-answer.ts';

/** Bytes of rows that are handed on together. */
const PIECE = 65_536;

/** The answer to a query, its cells as the server writes them. */
export function answerTo(connection: Connection, sql: string): Promise<SqlAnswer> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error: unknown, rows: unknown, fields?: readonly FieldPacket[]) => {
      if (error) reject(error);
      else {
        resolve({
          columns: (fields ?? []).map(({ name }) => name),
          rows: Array.isArray(rows) ? (rows as (string | null)[][]) : [],
        });
      }
    });
  });
}

/** Hands the first cells of all rows on, as lines. */
export function streamed(
  connection: Connection,
  sql: string,
  push: (bytes: Uint8Array) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let lines: string[] = [];
    let length = 0;
    const flush = () => {
      if (lines.length > 0) push(Buffer.from(`${lines.join('\n')}\n`));
      lines = [];
      length = 0;
    };
    let isOver = false;
    /** The package would throw what a listener throws. */
    const guarded = (work: () => void) => {
      if (isOver) return;
      try {
        work();
      } catch (error) {
        isOver = true;
        reject(error);
      }
    };
    connection
      .query(sql)
      .on('error', (error: unknown) => {
        isOver = true;
        reject(error);
      })
      .on('result', (row: unknown) =>
        guarded(() => {
          const [line] = row as unknown as readonly string[];
          lines.push(line!);
          length += line!.length;
          if (length >= PIECE) flush();
        }),
      )
      .on('end', () =>
        guarded(() => {
          flush();
          resolve();
        }),
      );
  });
}

/** Ends the query of a connection at the server, by a second one. */
export async function killQuery(
  { threadId }: Connection,
  connect: () => Promise<Connection>,
): Promise<void> {
  try {
    const other = await connect();
    await answerTo(other, `kill query ${Number(threadId)}`).catch(() => {});
    other.end();
  } catch {
    // The server has gone, and its queries with it.
  }
}
