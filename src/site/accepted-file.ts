import { DataError } from '../data-error.ts';
import { type Agreement, agreement } from '../federate.ts';
import { judgeOffer, offerableColumns, refusingMismatches } from '../protocol/judge-offer.ts';
import type { InspectionChoices } from '../rows/inspection.ts';
import type { Pool } from '../rows/pool.ts';
import { misfitsIn } from '../rows/read-rows.ts';
import type { Address } from '../rows/source.ts';
import type { Watch } from '../rows/watch.ts';
import { hasColumn } from '../rows/wording.ts';
import { MismatchedColumns } from './mismatched-columns.ts';
import { acceptedColumns } from './offer.ts';
import {
  asRead,
  openSite,
  type ReadingChoices,
  reduceSite,
  type SiteReduction,
  type SiteTable,
  scanSite,
} from './site-table.ts';

/** A file whose columns match the study, and its reduction. */
export interface AcceptedFile {
  readonly table: SiteTable;
  readonly reduced: SiteReduction;
}

/** The file of a site, the study it is for, and how to read it. */
export interface FileRequest extends ReadingChoices, InspectionChoices {
  readonly agreed: Agreement;
  readonly site: string;
  readonly rows: Address;
}

/**
 * Reduces a file in one pass: if no cell was refused, its counts say what the file has for the study. Only a refused file is
 * scanned, to find everything that does not match. In a private study no cell is refused, so the scan must tell.
 */
export async function acceptFile(
  request: FileRequest,
  pool: Pool,
  watch: Watch,
): Promise<AcceptedFile> {
  const { agreed, site, rows } = request;
  const outcome =
    misfitsIn(agreed) === 'allow' ? undefined : await reduceUnscanned(request, pool, watch);
  if (outcome !== undefined && 'table' in outcome) return outcome;
  const table = await scanSite(agreed.study, rows, request, pool, watch);
  const { unclearDates: unclear } = table;
  const judged = refusingMismatches(agreed, table.columns);
  const isUnclear = (name: string) => unclear.some(({ column }) => column === name);
  const mismatches = [...judged.filter(({ column }) => !isUnclear(column)), ...unclear];
  if (mismatches.length > 0)
    throw new MismatchedColumns(mismatches, table.otherDecimals, table.source.name);
  if (outcome !== undefined) throw outcome.refusal;
  return { table, reduced: await reduceSite(agreed, site, table, request, pool, watch) };
}

/** The file, if all of it matches the study; its refusal; or undefined, if only a scan can tell. */
async function reduceUnscanned(
  request: FileRequest,
  pool: Pool,
  watch: Watch,
): Promise<AcceptedFile | { readonly refusal: DataError } | undefined> {
  const { agreed, site, rows } = request;
  const columns = offerableColumns(agreement(asRead(agreed.study, request)));
  const source = await openSite(agreed.study, rows, request, pool);
  if (columns.some(({ name }) => !hasColumn(source, name))) return undefined;
  try {
    const reduced = await reduceSite(agreed, site, { source }, request, pool, watch);
    const offered = acceptedColumns(columns, reduced.inspection.description);
    if (offered === undefined || judgeOffer(agreed, offered).length > 0) return undefined;
    return { table: { source, columns: offered, otherDecimals: [], unclearDates: [] }, reduced };
  } catch (failure) {
    if (!(failure instanceof DataError)) throw failure;
    return { refusal: failure };
  }
}
