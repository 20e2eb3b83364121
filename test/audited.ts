import {
  type AuditInput,
  audit,
  type ExactAuditInput,
  needsLeverage,
} from '../src/disclosure/audit.ts';
import { factsCollector } from '../src/disclosure/facts-collector.ts';
import { leverageCounter } from '../src/disclosure/leverage.ts';
import { type Standard, thresholdsOf } from '../src/disclosure/profile.ts';
import type { RowFacts } from '../src/disclosure/row-facts.ts';
import type { Audit, RuleId, RuleOutcome } from '../src/disclosure/rule.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import type { RowWatcher } from '../src/statistic/cross-product.ts';
import type { DisclosureTerms, Study } from '../src/study/study.ts';
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
): LinearSummary {
  return kernels.scoped(() => {
    const options = { file: 'site.csv', missing: 'drop', kernels, fewRows: true } as const;
    const site = reduction(agreed, { ...options, watchRows });
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

/** What a site knows of its table, the leverage included. */
export function evidenceOf(study: Study, table: Table): ExactAuditInput {
  const agreed = agreement(study);
  const { facts, summary } = factsOf(agreed, table);
  const { statistic } = summary;
  const known = { statistic, facts, terms: agreed.design.terms };
  if (!needsLeverage(known, standardOf())) return known;
  const meter = leverageCounter(statistic);
  watched(agreed, table, everyRow(table), meter.add);
  return { ...known, leverage: meter.finish().largest };
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
