import { BUDGET_DELTA } from '../../src/disclosure/budget-rule.ts';
import type { Audit } from '../../src/disclosure/rule.ts';
import { type Agreement, codebookIn } from '../../src/federate.ts';
import { epsilonSpent } from '../../src/privacy/budget.ts';
import type { Prepared } from '../../src/site/prepare-contribution.ts';
import { type Histogram, standardDeviation } from '../../src/table/describe.ts';
import { type Leaving, toldLeaving } from './leaving.ts';

/** What reading a file gave, all of it for the eyes of the site; `leaving` is what would be sent. */
export interface ReadingTold {
  readonly file: string;
  readonly rows: number;
  readonly used: number;
  readonly dropped: number;
  /** Missing cells by column, over the rows left out. */
  readonly missing: readonly (readonly [column: string, cells: number])[];
  /** Rows of a private study whose response was clipped, where that is worth a word. */
  readonly clipped?: number;
  readonly columns: readonly ColumnRead[];
  readonly audit?: Audit;
  /** Of a private study. */
  readonly budget?: BudgetTold;
  readonly leaving: Leaving;
}

/** What a row has spent, would spend, and may spend in private releases: each an ε at `delta`. */
export interface BudgetTold {
  readonly before: number;
  /** Of this release by itself. */
  readonly now: number;
  /** Before and now together, which is less than their sum. */
  readonly after: number;
  readonly limit: number;
  readonly delta: number;
}

/** A column as it was read. */
export interface ColumnRead {
  readonly name: string;
  readonly present: number;
  readonly missing: number;
  readonly unit?: string;
  readonly numbers?: {
    readonly mean: number;
    readonly sd: number;
    readonly min: number;
    readonly max: number;
    readonly histogram?: Histogram;
  };
  readonly levels?: readonly (readonly [level: string, cells: number])[];
}

/** Share of clipped responses from which the coefficients are worth a word. */
const NOTICEABLE = 0.02;

export function toldReading(agreed: Agreement, file: string, prepared: Prepared): ReadingTold {
  const { summary, description, audit, budget } = prepared;
  const { clipped = 0 } = summary;
  return {
    file,
    rows: description.rows,
    used: summary.rows,
    dropped: summary.dropped,
    missing: Object.entries(summary.missing),
    ...(clipped > NOTICEABLE * summary.rows ? { clipped } : {}),
    columns: toldColumns(agreed, prepared),
    ...(audit === undefined ? {} : { audit }),
    ...(budget === undefined ? {} : { budget: toldBudget(budget) }),
    leaving: toldLeaving(agreed, prepared),
  };
}

function toldBudget({ spentMu, mu, epsilon }: NonNullable<Prepared['budget']>): BudgetTold {
  return {
    before: epsilonSpent([spentMu], BUDGET_DELTA),
    now: epsilonSpent([mu], BUDGET_DELTA),
    after: epsilonSpent([spentMu, mu], BUDGET_DELTA),
    limit: epsilon,
    delta: BUDGET_DELTA,
  };
}

function toldColumns(agreed: Agreement, { description }: Prepared): ColumnRead[] {
  const codebook = codebookIn(agreed);
  return Object.entries(description.columns).map(([name, column]) => {
    const { present, missing } = column;
    const declared = codebook[name];
    if (column.kind === 'category') {
      const levels = declared.levels ?? [];
      const counts = levels.map((level, k) => [level, column.counts[k]] as const);
      return { name, present, missing, levels: counts };
    }
    if (column.kind === 'id') return { name, present, missing };
    const { mean, min, max, histogram } = column;
    return {
      name,
      present,
      missing,
      ...(declared.type === 'number' && declared.unit !== undefined ? { unit: declared.unit } : {}),
      numbers: {
        ...{ mean, sd: standardDeviation(column), min, max },
        ...(histogram === undefined ? {} : { histogram }),
      },
    };
  });
}
