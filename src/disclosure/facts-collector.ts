import type { PartTraits } from '../features/expression-parts.ts';
import { type Reference, unitReference } from '../features/reference.ts';
import { firstOf } from '../numeric/in-kernel.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { baselinesOf, type IndicatedTerm } from './baselines.ts';
import { type ColumnFacts, noFacts, scanColumn } from './column-facts.ts';
import { type DistinctCounter, distinctCounter } from './distinct-values.ts';
import { groupFacts } from './group-facts.ts';
import { levelNamesOf } from './level-names.ts';
import { pairCounts } from './pair-counts.ts';
import { joinTwo, manyValued, type RowFacts, twoValued } from './row-facts.ts';
import { twoValues } from './two-values.ts';

export interface FactsCollector {
  /** Takes the columns of z in the user's units, the constant first, as a `RowWatcher` gets them; then the parts. */
  add(rows: number, columns: readonly Float64Array[]): void;
  finish(): RowFacts;
}

/** A part of an expression, and what it can do. */
export type NamedPart = PartTraits & { readonly name: string };

/** Values that are buffered and then scanned together, because blocks may be small. */
const WAITING_VALUES = 2 ** 21;
const WAITING_ROWS = 4096;

/**
 * Collects facts block by block; the design's `terms` show which indicators belong to one category. `parts` are those of
 * expressions, which the rules look at too.
 */
export function factsCollector(
  layout: LinearLayout,
  terms: readonly IndicatedTerm[] = [],
  parts: readonly NamedPart[] = [],
): FactsCollector {
  const baselines = baselinesOf(layout, terms);
  const levels = levelNamesOf(layout, terms);
  const empty = [
    ...layout.columns.slice(1).map((name, k) => noFacts(name, false, levels.get(k + 1))),
    ...baselines.map(({ name }, b) => noFacts(name, true, levels.get(layout.columns.length + b))),
    ...parts.map(({ name, compares, selects, compared }) =>
      noFacts(name, true, undefined, { compares, selects, compared }),
    ),
  ];
  const width = layout.columns.length;
  const references = [
    ...layout.references.slice(1),
    ...[...baselines, ...parts].map(() => unitReference),
  ];
  const counters: (DistinctCounter | null)[] = empty.map(() => null);
  let facts: RowFacts = noRows(empty);
  const capacity = Math.max(
    32,
    Math.min(WAITING_ROWS, Math.floor(WAITING_VALUES / empty.length / 32) * 32),
  );
  let waiting: Float64Array[] = [];
  let count = 0;

  const look = (values: readonly Float64Array[], rows: number) => {
    const block = blockFacts(empty, references, values, rows);
    facts = joinTwo(facts, block);
    facts.columns.forEach(({ whole }, k) => {
      if (!whole) return;
      counters[k] ??= distinctCounter();
      const few = block.columns[k].values;
      counters[k].add(few === null ? values[k] : Float64Array.from(few), few?.length ?? rows);
    });
  };

  /** Some rows of the columns that are looked at: those of the statistic, the baselines, the parts. */
  const looked = (columns: readonly Float64Array[], from: number, to: number) => {
    const given = columns.map((values) =>
      from === 0 ? firstOf(values, to) : values.subarray(from, to),
    );
    const ofLevels = baselines.map(({ columns: indicators }) => {
      const rest = new Float64Array(to - from).fill(1);
      for (const column of indicators) {
        for (let r = 0; r < rest.length; r++) rest[r] -= given[column][r];
      }
      return rest;
    });
    return [...given.slice(1, width), ...ofLevels, ...given.slice(width)];
  };

  return {
    add(rows, columns) {
      for (let from = 0; from < rows; ) {
        const taken = Math.min(rows - from, capacity - count);
        const values = looked(columns, from, from + taken);
        from += taken;
        if (taken === capacity) {
          look(values, taken); // nothing waits, so nothing is copied
          continue;
        }
        waiting = withRoom(waiting, empty.length, count + taken, capacity);
        values.forEach((column, k) => {
          waiting[k].set(column, count);
        });
        count += taken;
        if (count < capacity) continue;
        look(waiting, count);
        count = 0;
      }
    },
    finish() {
      if (count > 0) look(waiting, count);
      count = 0;
      const distinct = facts.columns.map(({ whole }, k) =>
        whole ? (counters[k]?.finish() ?? new Float64Array(0)) : null,
      );
      return { ...facts, distinct };
    },
  };
}

/** Buffers for at least this many rows, with the old contents. */
function withRoom(
  buffers: Float64Array[],
  width: number,
  rows: number,
  most: number,
): Float64Array[] {
  const room = buffers[0]?.length ?? 0;
  if (rows <= room) return buffers;
  const larger = Math.min(most, Math.max(rows, 2 * room));
  return Array.from({ length: width }, (_, k) => {
    const buffer = new Float64Array(larger);
    if (room > 0) buffer.set(buffers[k]);
    return buffer;
  });
}

function noRows(columns: readonly ColumnFacts[]): RowFacts {
  const distinct = columns.map(() => new Float64Array(0));
  return { rows: 0, columns, distinct, pairs: new Float64Array(0), groups: new Float64Array(0) };
}

function blockFacts(
  empty: readonly ColumnFacts[],
  references: readonly Reference[],
  values: readonly Float64Array[],
  rows: number,
): RowFacts {
  const few = values.map((column) => twoValues(column, rows));
  const columns = empty.map((none, k) => scanColumn(none, references[k], values[k], rows, few[k]));
  const splits = twoValued(columns).map((k) => ({ bits: few[k]!.high, high: columns[k].high }));
  const many = manyValued(columns).map((k) => ({ column: values[k], facts: columns[k] }));
  return {
    rows,
    columns,
    distinct: [],
    pairs: pairCounts(splits.map(({ bits }) => bits)),
    groups: groupFacts(splits, many, rows),
  };
}
