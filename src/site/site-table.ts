import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { type Agreement, agreement, codebookIn, joinSummaries } from '../federate.ts';
import { offerableColumns } from '../protocol/judge-offer.ts';
import type { Mismatch, OfferedColumn } from '../protocol/messages.ts';
import type { DraftJob, DraftResult } from '../rows/draft-job.ts';
import { type Inspection, type InspectionChoices, joinInspections } from '../rows/inspection.ts';
import type { Pool } from '../rows/pool.ts';
import { misfitsIn } from '../rows/read-rows.ts';
import type { ReduceJob, ReduceResult } from '../rows/reduce-job.ts';
import type { Address, Source } from '../rows/source.ts';
import { openSource, readerOf } from '../rows/sources.ts';
import type { Watch } from '../rows/watch.ts';
import {
  hasColumn,
  joinWordings,
  nameInFile,
  type Wording,
  wordedColumn,
} from '../rows/wording.ts';
import type { Summary } from '../statistic/cross-product.ts';
import type { Codebook, Column } from '../study/codebook.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { imagesOf } from '../study/image-study.ts';
import { isTableStudy, type Study } from '../study/study.ts';
import type { Misfits } from '../table/columns.ts';
import { type Draft, mergeDrafts, overlayDraft } from '../table/draft.ts';
import { HeaderBelow } from '../table/header-below.ts';
import { doubtIn, refuseDoubts } from '../table/refuse-doubts.ts';
import { DAYS } from '../table/written-date.ts';
import { offeredColumns, otherDecimalMarks } from './offer.ts';
import type { TrainingKeeper } from './training-keeper.ts';

/** How to read a site's file. */
export interface ReadingChoices {
  readonly encoding?: string;
  /** The decimal mark of this file, if it is not that of the codebook. */
  readonly decimal?: '.' | ',';
  readonly missing: 'drop' | 'refuse';
  /** Words of this file that differ from the study's. */
  readonly wording?: Wording;
  /** Keeps the state of a training; nothing is kept unless given. */
  readonly training?: TrainingKeeper;
}

/** A scanned file: what it has for the study. */
export interface SiteTable {
  readonly source: Source;
  readonly columns: readonly OfferedColumn[];
  /** Number columns whose cells look like numbers with the other decimal mark. */
  readonly otherDecimals: readonly string[];
  /** Columns of dates that can be read in two ways, or not as their column is written. */
  readonly unclearDates: readonly Mismatch[];
}

/** The statistic of a site's file, and an inspection that is never sent. */
export interface SiteReduction {
  readonly summary: Summary;
  readonly inspection: Inspection;
}

/** Opens a file even if columns of the study are absent. */
export async function openSite(
  study: Study,
  address: Address,
  { encoding, wording }: ReadingChoices,
  { host }: Pool,
): Promise<Source> {
  const worded = defined({ wording });
  const names = offerableColumns(agreement(study)).map(({ name }) => nameInFile(worded, name));
  const images = imagesOf(study);
  const open = async (wanted: readonly string[]) => {
    const source = await openSource(host, address, wanted, encoding, undefined, images);
    return { ...source, ...defined({ wording: joinWordings(source.wording, wording) }) };
  };
  try {
    return await open(names);
  } catch (failure) {
    if (!(failure instanceof DataError) || failure instanceof HeaderBelow) throw failure;
    if (images !== undefined && failure.place.column === undefined) throw failure;
    return open([]);
  }
}

/** Opens and scans a file: which of the study's columns it has, and what does not match. */
export async function scanSite(
  study: Study,
  address: Address,
  choices: ReadingChoices,
  pool: Pool,
  watch: Watch,
): Promise<SiteTable> {
  const agreed = agreement(asRead(study, choices));
  const misfits = misfitsIn(agreed);
  const worded = defined({ wording: choices.wording });
  const columns = offerableColumns(agreed).map((column) => wordedColumn(worded, column));
  const source = await openSite(study, address, choices, pool);
  const present = columns.filter(({ name }) => hasColumn(source, name));
  const draft = await scanColumns(source, present, misfits, pool, watch);
  if (
    misfits === 'refuse' &&
    present.length > 0 &&
    draft.segments.every(({ rows }) => rows === 0)
  ) {
    throw new DataError(
      'no data rows',
      { file: source.name },
      'give a file with rows below the header',
    );
  }
  if (misfits === 'refuse') refuseUnclearMarks(present, draft, source.name);
  return {
    source,
    columns: offeredColumns(columns, draft),
    otherDecimals: otherDecimalMarks(draft),
    unclearDates: misfits === 'refuse' ? unclearDates(present, draft) : [],
  };
}

/** Reduces an opened file to the statistic of its site. */
export async function reduceSite(
  agreed: Agreement,
  site: string,
  { source }: Pick<SiteTable, 'source'>,
  choices: ReadingChoices & InspectionChoices,
  pool: Pool,
  watch: Watch,
): Promise<SiteReduction> {
  refuseUnknownSite(codebookIn(agreed), site);
  const job: ReduceJob = {
    kind: 'reduce',
    wholeFile: agreed.method.wholeFile,
    study: asRead(agreed.study, choices),
    source,
    missing: choices.missing,
    site: { name: site },
    ...defined({ resume: choices.training?.resume }),
    inspect: {
      histograms: choices.histograms === true,
      ...(tellsSayings(agreed, source, pool) ? defined({ tagKey: choices.tagKey }) : {}),
    },
  };
  const bar = watch('reducing', source.length);
  const join = (ranges: readonly ReduceResult[]) => ({ sites: [joinRanges(agreed, site, ranges)] });
  const update: typeof bar.update = (bytes, rows, training) => {
    choices.training?.hear(training);
    bar.update(bytes, rows, training);
  };
  const [result] = await pool.run([job], join, update).finally(bar.done);
  await choices.training?.stored();
  const { summary, inspection } = result.sites[0];
  if (summary.rows === 0 && misfitsIn(agreed) === 'refuse') {
    const losses = Object.entries(summary.missing).map(([name, count]) => `${name} ${count}`);
    const why = losses.length === 0 ? '' : ` (missing cells: ${losses.join(', ')})`;
    throw new DataError(
      `no row can be used${why}`,
      { file: source.name },
      'complete the rows, or check how missing cells are marked',
    );
  }
  const statistic = { layout: agreed.rowsLayout, values: summary.statistic.values };
  return { summary: { ...summary, statistic }, inspection: inspection! };
}

/** Whether values tell what cells say: a text is read as it stands, and no cell is put right. */
function tellsSayings(agreed: Agreement, source: Source, { host }: Pool): boolean {
  const { text, tells = text !== undefined } = readerOf(host, source);
  return tells && source.wording === undefined && misfitsIn(agreed) === 'refuse';
}

/** The study with the decimal mark of this file. It does not change what a site sends. */
export function asRead(study: Study, { decimal }: Pick<ReadingChoices, 'decimal'>): Study {
  if (decimal === undefined || !isTableStudy(study)) return study;
  const codebook = Object.fromEntries(
    Object.entries(study.codebook).map(([name, column]) => [
      name,
      column.type === 'number' ? { ...column, decimal } : column,
    ]),
  );
  return { ...study, codebook };
}

/** Refuses numbers that can be read in two ways: a person must first say how the whole file is written. */
function refuseUnclearMarks(
  columns: readonly { readonly name: string; readonly column: Column }[],
  draft: Draft,
  file: string,
): void {
  for (const { name, column } of columns) {
    if (column.type !== 'number') continue;
    refuseDoubts(draft.columns.get(name)!, { file, column: name }, ['either mark']);
  }
}

function unclearDates(
  columns: readonly { readonly name: string; readonly column: Column }[],
  draft: Draft,
): Mismatch[] {
  return columns.flatMap(({ name, column }) => {
    if (column.type !== 'number' || column.unit !== DAYS) return [];
    const doubt = doubtIn(draft.columns.get(name)!, ['either order', 'other order', 'short year']);
    return doubt === undefined
      ? []
      : [{ column: name, problem: doubt.problem, remedy: doubt.remedy }];
  });
}

/** One scan for each decimal mark that the codebook states; nearly every study states none. */
async function scanColumns(
  source: Source,
  columns: readonly { readonly name: string; readonly column: Column }[],
  misfits: Misfits,
  pool: Pool,
  watch: Watch,
): Promise<Draft> {
  const markOf = (column: Column) => (column.type === 'number' ? column.decimal : undefined);
  let draft: Draft = { segments: [], columns: new Map() };
  for (const decimal of [undefined, '.', ','] as const) {
    const group = columns.filter(({ column }) => markOf(column) === decimal);
    if (group.length === 0) continue;
    const job: DraftJob = {
      kind: 'draft',
      source,
      wanted: group.map(({ name }) => name),
      texts: group.flatMap(({ name, column }) => (column.type === 'category' ? [name] : [])),
      missing: group.flatMap(({ column }) => column.missing ?? []),
      codebook: Object.fromEntries(
        group.map(({ name, column }) => [nameInFile(source, name), column]),
      ),
      misfits,
      ...defined({ decimal }),
    };
    const bar = watch('looking at the file', source.length);
    const [scanned] = await pool.run([job], joinDrafts, bar.update).finally(bar.done);
    draft = draft.segments.length === 0 ? scanned.draft : overlayDraft(draft, scanned.draft);
  }
  return draft;
}

function joinDrafts(ranges: readonly DraftResult[]): DraftResult {
  return { draft: ranges.map(({ draft }) => draft).reduce(mergeDrafts) };
}

function joinRanges(
  agreed: Agreement,
  name: string,
  ranges: readonly ReduceResult[],
): ReduceResult['sites'][number] {
  const sites = ranges.map((range) => range.sites[0]);
  return {
    name,
    summary: joinSummaries(
      agreed.rowsLayout,
      sites.map(({ summary }) => summary),
    ),
    inspection: joinInspections(sites.map(({ inspection }) => inspection!)),
  };
}

/** Refuses a site that a study with site effects does not list: it would have no column for its effect. */
function refuseUnknownSite(codebook: Codebook, site: string): void {
  const column = codebook[SITE_COLUMN];
  if (column === undefined || column.type !== 'category' || column.levels.includes(site)) return;
  throw new DataError(
    `the study has no site named "${site}"`,
    { column: SITE_COLUMN },
    `its sites are ${column.levels.join(', ')}; ask the analyst to add the site`,
  );
}
