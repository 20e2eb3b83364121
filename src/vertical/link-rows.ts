import { type LinkTokens, tokenText } from './link-tokens.ts';

/** What came of one pass. */
export interface LinkPass {
  /** People linked in this pass. */
  readonly linked: number;
  /** Rows of each party that share their key with another row of the party; none of them is linked in this pass. */
  readonly duplicates: readonly number[];
}

/** The rows of all parties that are about the same people. */
export interface LinkedRows {
  /** For each party: its rows in one common order of the people. */
  readonly rows: readonly Uint32Array[];
  readonly passes: readonly LinkPass[];
}

/**
 * Links rows by their tokens. In each pass a person is linked whose token every party has exactly once, on a row that no earlier pass has
 * linked: the first match wins, and a row is linked at most once. The order of the people is that of their tokens.
 */
export function linkRows(parties: readonly LinkTokens[]): LinkedRows {
  const [{ passes }] = parties;
  if (parties.some((party) => party.passes !== passes)) {
    throw new RangeError('the parties have different numbers of passes');
  }
  const linked = parties.map(({ rows }) => new Uint8Array(rows));
  const order: number[][] = parties.map(() => []);
  const found: LinkPass[] = [];
  for (let pass = 0; pass < passes; pass++) {
    const tables = parties.map((tokens) => uniqueTokens(tokens, pass));
    const [first, ...others] = tables;
    const common = [...first.rows.keys()]
      .filter((token) => others.every(({ rows }) => rows.has(token)))
      .filter((token) => tables.every(({ rows }, p) => linked[p][rows.get(token)!] === 0))
      .sort();
    for (const token of common) {
      tables.forEach(({ rows }, p) => {
        const row = rows.get(token)!;
        linked[p][row] = 1;
        order[p].push(row);
      });
    }
    found.push({
      linked: common.length,
      duplicates: tables.map(({ duplicates }) => duplicates),
    });
  }
  return { rows: order.map((rows) => Uint32Array.from(rows)), passes: found };
}

/** Tokens that exactly one row has, and the number of rows whose token several have. */
function uniqueTokens(
  tokens: LinkTokens,
  pass: number,
): { readonly rows: ReadonlyMap<string, number>; readonly duplicates: number } {
  const rows = new Map<string, number>();
  const twice = new Map<string, number>();
  for (let row = 0; row < tokens.rows; row++) {
    const token = tokenText(tokens, pass, row);
    if (token === undefined) continue;
    const count = twice.get(token);
    if (count !== undefined) twice.set(token, count + 1);
    else if (rows.delete(token)) twice.set(token, 2);
    else rows.set(token, row);
  }
  return { rows, duplicates: [...twice.values()].reduce((sum, count) => sum + count, 0) };
}
