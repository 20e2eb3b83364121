import { defined } from '../../src/defined.ts';
import { BUDGET_DELTA } from '../../src/disclosure/budget-rule.ts';
import type { Audit } from '../../src/disclosure/rule.ts';
import { type Agreement, codebookIn } from '../../src/federate.ts';
import { epsilonSpent } from '../../src/privacy/budget.ts';
import type { PartyOutgoing } from '../../src/site/party-outgoing.ts';
import type { Prepared } from '../../src/site/prepare-contribution.ts';
import type { PreparedParty } from '../../src/site/prepare-party.ts';
import { shownColumns } from '../../src/site/release-text.ts';
import { wordingText } from '../../src/site/wording-text.ts';
import { adjustedText } from '../../src/statistic/adjusted-text.ts';
import type { Column } from '../../src/study/codebook.ts';
import { type Histogram, standardDeviation } from '../../src/table/describe.ts';
import type { ContactSheet } from './contact-sheet.ts';
import { type Outgoing, outgoingView } from './outgoing.ts';
import type { TrainingView } from './progress.ts';

/** A file as it was read. Only the site sees it. */
export interface FileView {
  readonly file: string;
  readonly rows: number;
  readonly used: number;
  readonly dropped: number;
  /** Missing cells by column, in the rows left out. */
  readonly missing: readonly (readonly [column: string, cells: number])[];
  /** In a private study: number of clipped responses, if there are many. */
  readonly clipped?: number;
  /** In a private study: what was done to rows in place of refusing the file, and cells that do not match. */
  readonly adjusted: readonly string[];
  /** How the file was read otherwise than the study says, as the person chose. */
  readonly wording: readonly string[];
  readonly columns: readonly ColumnRead[];
  /** In a study of images: some of each class. They are shown in this tab and never sent. */
  readonly sheet?: ContactSheet;
  /** In a study of networks: how the training went. */
  readonly training?: TrainingView;
  readonly audit?: Audit;
}

/** The result of reading a file; only the file described in `outgoing` can be sent. */
export interface ReadingView extends FileView {
  /** In a private study. */
  readonly budget?: BudgetView;
  readonly outgoing: Outgoing;
}

/** The same for a party that holds some columns: what it would send to whom, once it takes part. */
export interface PartyReadingView extends FileView {
  readonly exchange: PartyOutgoing;
}

/** Privacy that a row has spent, would spend, and may spend in private releases; each an ε at `delta`. */
export interface BudgetView {
  readonly before: number;
  /** This release alone. */
  readonly now: number;
  /** Earlier releases and this one together; less than their sum. */
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

/** Share of clipped responses from which the page warns. */
const NOTICEABLE = 0.02;

export function readingView(
  agreed: Agreement,
  file: string,
  prepared: Prepared,
  shown: Pick<ReadingView, 'sheet' | 'training'> = {},
): ReadingView {
  const { summary, description, audit, budget } = prepared;
  const { clipped = 0 } = summary;
  return {
    file,
    rows: description.rows,
    used: summary.rows,
    dropped: summary.dropped,
    missing: Object.entries(summary.missing),
    ...(clipped > NOTICEABLE * summary.rows ? { clipped } : {}),
    adjusted: [
      ...adjustedText(summary),
      ...prepared.mismatches.map(
        ({ column, problem, remedy }) => `${column}: ${problem}; ${remedy}`,
      ),
    ],
    wording: prepared.wording === undefined ? [] : wordingText(prepared.wording),
    columns: columnsRead(agreed, prepared),
    ...shown,
    ...defined({ audit }),
    ...(budget === undefined ? {} : { budget: budgetView(budget) }),
    outgoing: outgoingView(agreed, prepared),
  };
}

/** `own` is the agreement as the party sees it. */
export function partyReadingView(
  own: Agreement,
  { source, summary, description, review }: PreparedParty,
  exchange: PartyOutgoing,
): PartyReadingView {
  const { rows, dropped } = summary;
  return {
    file: source.name,
    ...{ rows: rows + dropped, used: rows, dropped, missing: [], adjusted: [], wording: [] },
    columns: columnsRead(own, { description }),
    ...defined({ audit: review.audit }),
    exchange,
  };
}

function budgetView({ spentMu, mu, epsilon }: NonNullable<Prepared['budget']>): BudgetView {
  return {
    before: epsilonSpent([spentMu], BUDGET_DELTA),
    now: epsilonSpent([mu], BUDGET_DELTA),
    after: epsilonSpent([spentMu, mu], BUDGET_DELTA),
    limit: epsilon,
    delta: BUDGET_DELTA,
  };
}

function columnsRead(
  agreed: Agreement,
  { description }: Pick<Prepared, 'description'>,
): ColumnRead[] {
  const codebook = codebookIn(agreed);
  return Object.entries(shownColumns(agreed, description)).map(([name, column]) => {
    const { present, missing } = column;
    const declared: Column | undefined = codebook[name];
    if (column.kind === 'category') {
      const levels = declared?.levels ?? [];
      const counts = levels.map((level, k) => [level, column.counts[k]] as const);
      return { name, present, missing, levels: counts };
    }
    if (column.kind === 'id') return { name, present, missing };
    const { mean, min, max, histogram } = column;
    return {
      name,
      present,
      missing,
      ...(declared?.type === 'number' && declared.unit !== undefined
        ? { unit: declared.unit }
        : {}),
      numbers: {
        ...{ mean, sd: standardDeviation(column), min, max },
        ...defined({ histogram }),
      },
    };
  });
}
