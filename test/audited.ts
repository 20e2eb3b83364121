import {
  type AuditInput,
  audit,
  type ExactAuditInput,
  needsLeverage,
} from '../src/disclosure/audit.ts';
import { baselinesOf } from '../src/disclosure/baselines.ts';
import { factsCollector } from '../src/disclosure/facts-collector.ts';
import { leverageCounter } from '../src/disclosure/leverage.ts';
import { type Standard, thresholdsOf } from '../src/disclosure/profile.ts';
import type { RowFacts } from '../src/disclosure/row-facts.ts';
import type { Audit, RuleId, RuleOutcome } from '../src/disclosure/rule.ts';
import { weightedCounter } from '../src/disclosure/weighted-counter.ts';
import { regressionOf } from '../src/federate.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { originalColumns } from '../src/rows/original-facts.ts';
import type { RowWatcher } from '../src/statistic/cross-product.ts';
import type { DisclosureTerms, Study } from '../src/study/study.ts';
import type { Block } from '../src/table/columns.ts';
import type { LinearSummary } from './linear.ts';
import { type Agreement, agreement, reduction } from './linear.ts';
import { everyRow, studyOf, type Table } from './tables.ts';

const kernels = createKernels();

/** The lines of a profile. */
export function standardOf(terms?: DisclosureTerms): Standard {
  const standard = thresholdsOf(terms);
  if (standard === 'none') throw new RangeError('no rules');
  return standard;
}

/** Reduces rows of a table while somebody watches. */
export function watched(
  agreed: Agreement,
  table: Table,
  rows: readonly number[],
  watchRows: RowWatcher,
  blockRows = 64,
  weightedAt?: Float64Array,
): LinearSummary {
  return kernels.scoped(() => {
    const options = { file: 'site.csv', missing: 'drop', kernels, fewRows: true } as const;
    const at = weightedAt === undefined ? {} : { weightedAt };
    const site = reduction(agreed, { ...options, watchRows, ...at });
    for (let from = 0; from < rows.length; from += blockRows) {
      const part = rows.slice(from, from + blockRows);
      const columns = agreed.columns.map(({ name }) =>
        Float64Array.from(part, (r) => table.cells[name][r]),
      );
      site.add({ rows: part.length, columns }, (r) => part[r] + 1);
    }
    return site.finish();
  });
}

/** The facts of some rows of a table, and their summary. */
export function factsOf(
  agreed: Agreement,
  table: Table,
  rows: readonly number[] = everyRow(table),
  blockRows = 64,
): { readonly facts: RowFacts; readonly summary: LinearSummary } {
  const collector = factsCollector(agreed.layout, agreed.design.terms);
  const summary = watched(agreed, table, rows, collector.add, blockRows);
  return { facts: collector.finish(), summary };
}

/** The complete rows of a table as one block. */
function blockOf({ columns }: Agreement, table: Table): Block {
  const cells = columns.map(({ name }) => table.cells[name]);
  const rows = everyRow(table).filter((r) => cells.every((column) => !Number.isNaN(column[r])));
  return {
    rows: rows.length,
    columns: cells.map((column) => Float64Array.from(rows, (r) => column[r])),
  };
}

/** The formula's own columns and the parts of its expressions, where the rules look at more than the statistic's columns. */
function originalsOf(agreed: Agreement, table: Table): Pick<ExactAuditInput, 'originals'> {
  const original = originalColumns(regressionOf(agreed));
  if (original === undefined) return {};
  const { layout, terms, parts, sums, tooLong, evaluate } = original;
  const collector = factsCollector(layout, terms, parts);
  const block = blockOf(agreed, table);
  collector.add(
    block.rows,
    evaluate(block, block.rows, (r) => r),
  );
  const facts = collector.finish();
  return { originals: { layout, facts, terms, expressions: { sums, tooLong } } };
}

/** What a site knows of its table, the leverage included. */
export function evidenceOf(study: Study, table: Table): ExactAuditInput {
  const agreed = agreement(study);
  const { facts, summary } = factsOf(agreed, table);
  const { statistic } = summary;
  const known = { statistic, facts, terms: agreed.design.terms, ...originalsOf(agreed, table) };
  if (!needsLeverage(known, standardOf())) return known;
  const meter = leverageCounter(statistic);
  const baselines = baselinesOf(agreed.rowsLayout, agreed.design.terms);
  const { originals } = known;
  const weights = weightedCounter(statistic, (originals?.facts ?? facts).columns, baselines);
  const original = originalColumns(regressionOf(agreed));
  let weighs = false;
  let seen = 0;
  const watch: RowWatcher = (rows, columns, indexOf, own) => {
    meter.add(rows, columns, indexOf, own);
    if (own === undefined) return;
    weighs = true;
    const from = seen;
    seen += rows;
    const parts = original?.evaluate(blockOf(agreed, table), rows, (r) => from + r);
    weights.add(rows, columns, own, parts);
  };
  watched(agreed, table, everyRow(table), watch, 64, summary.weightedAt);
  const { start } = agreed.method;
  const { largest, whole } = meter.finish();
  return {
    ...known,
    leverage: largest,
    ...(whole === undefined ? {} : { wholeLeverage: whole }),
    ...(weighs ? { weighted: weights.finish() } : {}),
    ...(start === undefined || start.from !== undefined ? {} : { madeUp: start.decides }),
  };
}

/** The audit of a whole table as one site's. */
export function audited(
  table: Table,
  formula: string,
  terms?: DisclosureTerms,
  more: Partial<ExactAuditInput> = {},
  choices: Parameters<typeof studyOf>[2] = {},
): Audit {
  const evidence: AuditInput = {
    ...evidenceOf(studyOf(table, formula, choices), table),
    ...more,
  };
  return audit(evidence, standardOf(terms));
}

export function ruleOf({ rules }: Audit, id: RuleId): RuleOutcome {
  return rules.find(({ rule }) => rule === id)!;
}
