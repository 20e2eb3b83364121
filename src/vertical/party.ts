import { DataError } from '../data-error.ts';
import { factsCollector } from '../disclosure/facts-collector.ts';
import { leverageCounter } from '../disclosure/leverage.ts';
import type { RowFacts } from '../disclosure/row-facts.ts';
import { rowsAt } from '../statistic/complete-rows.ts';
import { summarizer } from '../statistic/cross-product.ts';
import { type LinearStatistic, linearStatistic } from '../statistic/statistic.ts';
import { grouped } from '../text/number-text.ts';
import { inTokenOrder, type KeyOf, type LinkTokens, linkTokens, tokensAt } from './link-tokens.ts';
import { normalisedKey } from './normalised-key.ts';
import type { PartyRows } from './party-rows.ts';
import type { PartyModel, VerticalStudy } from './vertical-study.ts';

/** A party's tokens in the order in which it offers them, and the rows behind them. */
export interface OfferedTokens {
  readonly tokens: LinkTokens;
  /** The row of each offered token. */
  readonly order: Uint32Array;
}

/** The tokens of a party's complete rows, in an order that says nothing about its file. */
export function offeredTokens(
  study: VerticalStudy,
  rows: PartyRows,
  secret: Uint8Array,
): OfferedTokens {
  const passes = study.columnsAt.passes.length;
  const tokens = linkTokens(secret, rows.block.rows, passes, keysOf(study, rows));
  const order = inTokenOrder(tokens);
  return { tokens: tokensAt(tokens, order), order };
}

/** The texts of the key columns of a party's rows. */
export function keysOf({ columnsAt }: VerticalStudy, { keys }: PartyRows): KeyOf {
  const texts = columnsAt.passes.map((names) => names.map((name) => keys.get(name)!));
  return (pass, row) => {
    const key = texts[pass].map((column) => column[row]);
    return key.every((text) => text !== undefined) ? (key as string[]) : undefined;
  };
}

/** What the keys of a party's rows look like before anything is sent: no secret is needed to count them. */
export interface KeyCounts {
  readonly rows: number;
  /** Of each pass: rows without a key, and rows that share theirs with another row. */
  readonly passes: readonly { readonly missing: number; readonly duplicates: number }[];
}

/** Counts missing and shared keys. */
export function keyCounts(
  { columnsAt }: VerticalStudy,
  { keys, block }: Pick<PartyRows, 'keys' | 'block'>,
): KeyCounts {
  const passes = columnsAt.passes.map((names) => {
    const columns = names.map((name) => keys.get(name)!);
    const counts = new Map<string, number>();
    let missing = 0;
    for (let row = 0; row < block.rows; row++) {
      const key = columns.map((column) => normalisedKey(column[row] ?? ''));
      if (key.includes('')) missing += 1;
      else counts.set(JSON.stringify(key), (counts.get(JSON.stringify(key)) ?? 0) + 1);
    }
    let duplicates = 0;
    for (const count of counts.values()) if (count > 1) duplicates += count;
    return { missing, duplicates };
  });
  return { rows: block.rows, passes };
}

/** Refuses rows that share their first key, unless the study leaves them out. */
export function refuseDuplicates(
  { columnsAt: { passes, duplicates } }: VerticalStudy,
  { passes: [first] }: KeyCounts,
  file: string,
): void {
  if (duplicates === 'leave-out' || first.duplicates === 0) return;
  throw new DataError(
    `${grouped(first.duplicates)} rows share their key (${passes[0].join(', ')}) with another row, and a person is one row; nothing was sent`,
    { file },
    'keep one row for each person; or ask for a study whose partition says duplicates "leave-out": none of these rows is linked then',
  );
}

/** A party's own sums over some of its rows, and the facts that the disclosure rules need. */
export function ownSums(
  { design, layout }: PartyModel,
  rows: PartyRows,
  order: Uint32Array,
): { readonly statistic: LinearStatistic; readonly facts: RowFacts } {
  const collector = factsCollector(layout, design.terms);
  const summing = summarizer(design, layout, {
    file: rows.file,
    missing: 'refuse',
    watchRows: (count, columns) => {
      collector.add(count, columns);
    },
  });
  const { block } = rowsAt(rows.block, Int32Array.from(order));
  summing.add(block, (r) => rows.origin[order[r]]);
  return { statistic: linearStatistic(summing.finish().statistic), facts: collector.finish() };
}

/** The largest leverage of a row in a party's own sums. */
export function ownLeverage(
  { design, layout }: PartyModel,
  rows: PartyRows,
  order: Uint32Array,
  statistic: LinearStatistic,
): { readonly largest: number; readonly whole?: number } {
  const counter = leverageCounter(statistic);
  const second = summarizer(design, layout, {
    file: rows.file,
    missing: 'refuse',
    watchRows: (count, columns, indexOf) => {
      counter.add(count, columns, indexOf);
    },
  });
  second.add(rowsAt(rows.block, Int32Array.from(order)).block, (r) => rows.origin[order[r]]);
  return counter.finish();
}
