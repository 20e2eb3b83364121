import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import type { Codebook, Column } from '../study/codebook.ts';
import { type Formula, formulaColumns } from '../study/formula.ts';
import {
  type Draft,
  draftCodebook,
  mergeDrafts,
  needsTexts,
  overlayDraft,
} from '../table/draft.ts';
import type { DraftJob, DraftResult } from './draft-job.ts';
import type { Pool } from './pool.ts';
import type { Source } from './source.ts';
import type { Watch } from './watch.ts';

/** How files are read while a codebook is drafted. */
export interface DraftingOptions {
  readonly decimal: '.' | ',';
  readonly missingMarkers: readonly string[];
  /** Column whose values name the sites; otherwise every file is a site. */
  readonly siteColumn?: string;
}

/** What a codebook is drafted for. */
export interface DraftRequest extends DraftingOptions {
  readonly formula: Formula;
  readonly wanted: readonly string[];
  readonly sources: readonly Source[];
}

/** One codebook from all sources together, before any of them is reduced. */
export async function draftFor(request: DraftRequest, pool: Pool, watch: Watch): Promise<Codebook> {
  const { sources, wanted, decimal } = request;
  const used = formulaColumns(request.formula);
  const categories = new Set(used.factors);
  if (request.siteColumn !== undefined) categories.add(request.siteColumn);
  const scan = async (columns: readonly string[], texts: readonly string[]): Promise<Draft> => {
    const jobs = sources.map(
      (source): DraftJob => ({
        kind: 'draft',
        source,
        wanted: columns,
        texts,
        missing: request.missingMarkers,
        decimal,
      }),
    );
    const bar = watch(
      'drafting the codebook',
      sources.reduce((sum, { length }) => sum + length, 0),
    );
    const results = await pool.run(jobs, joinDrafts, bar.update).finally(bar.done);
    return joinDrafts(results).draft;
  };
  let draft = await scan(wanted, [...categories]);
  if (draft.segments.every((segment) => segment.rows === 0)) {
    const place = sources.length === 1 ? { file: sources[0].name } : {};
    throw new DataError('no data rows', place, 'give files with at least one row below the header');
  }
  const lacking = needsTexts(draft, categories);
  if (lacking.length > 0) draft = overlayDraft(draft, await scan(lacking, lacking));
  const codebook = draftCodebook(draft, { factors: categories, decimal });
  const numeric = new Set(used.numeric);
  return Object.fromEntries(
    wanted.map((name) => {
      const column = codebook[name];
      return [name, numeric.has(name) && used.factors.includes(name) ? asNumber(column) : column];
    }),
  );
}

function joinDrafts(results: readonly DraftResult[]): DraftResult {
  return { draft: results.map((result) => result.draft).reduce(mergeDrafts) };
}

/** For a column used both as a number and inside factor(): a number column with levels. */
function asNumber(column: Column): Column {
  if (column.type !== 'category') return column;
  const values = column.levels.map(Number);
  if (values.some(Number.isNaN)) return column;
  const { levels, missing } = column;
  const range = [Math.min(...values), Math.max(...values)] as const;
  return { type: 'number', range, levels, ...defined({ missing }) };
}
