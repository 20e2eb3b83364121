import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { createDesign } from '../features/design.ts';
import type { Codebook } from '../study/codebook.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { FormulaError, formulaColumns, parseFormula } from '../study/formula.ts';
import { spelledFormula } from '../study/spelled-formula.ts';
import type { DisclosureTerms, Quorum, TableStudy } from '../study/study.ts';
import { offZero, type Range, widenRange } from '../study/widen-range.ts';
import { rareNote } from '../table/draft-notes.ts';
import { publishedNotes } from '../table/level-notes.ts';
import type { Pool } from './pool.ts';
import { type FitPlan, prepareFit } from './prepare-fit.ts';
import type { Watch } from './watch.ts';

/** Input of a drafted study: the analyst's own files, as examples of the sites' files. */
export interface DraftStudyRequest extends Omit<FitPlan, 'codebook' | 'siteColumn'> {
  readonly name?: string;
  readonly quorum?: Quorum;
  readonly disclosure?: DisclosureTerms;
  /** Levels of `.site`, where the formula uses it. */
  readonly sites: readonly string[];
  /** Keep the ranges of the files, without widening. */
  readonly exactRanges: boolean;
}

/** A range that was widened beyond the files. */
export interface Widened {
  readonly column: string;
  readonly from: Range;
  readonly to: Range;
}

export interface DraftedStudy {
  readonly study: TableStudy;
  readonly widened: readonly Widened[];
  /** What the analyst should know about the columns before the study is published. */
  readonly notes: readonly string[];
}

/** Whether a formula uses `.site`, so that the study must list the sites by name. */
export function hasSiteColumn(formula: string): boolean {
  return formulaColumns(parseFormula(formula)).columns.includes(SITE_COLUMN);
}

/** A study from a formula and files: types, levels and ranges as found, ranges widened for other sites. */
export async function draftStudy(
  request: DraftStudyRequest,
  pool: Pool,
  watch: Watch,
): Promise<DraftedStudy> {
  const usesSite = hasSiteColumn(request.formula);
  if (usesSite && request.sites.length < 2) {
    throw new DataError(
      `the formula uses ${SITE_COLUMN}, so the study must list the sites by name`,
      {},
      'name each of them, as they will be invited',
    );
  }
  const prepared = await prepareFit(request, pool, watch);
  const { schema, formula, codebook: found, grid, ...rest } = prepared.study;
  const codebook: Codebook = usesSite
    ? { ...found, [SITE_COLUMN]: { type: 'category', levels: [...request.sites] } }
    : found;
  const wide = request.exactRanges ? codebook : widenCodebook(formula, codebook);
  const study: TableStudy = {
    schema,
    ...defined({ name: request.name }),
    formula: spelledFormula(formula, wide),
    codebook: wide,
    ...rest,
    ...defined({ grid: request.grid, disclosure: request.disclosure, quorum: request.quorum }),
  };
  const rare = new Set(prepared.rare.map(({ column }) => column));
  const published = publishedNotes(codebook).filter(({ column }) => !rare.has(column));
  const notes = [
    ...prepared.notes,
    ...prepared.rare.map(rareNote),
    ...published.map(({ text }) => text),
  ];
  return { study, widened: widenedColumns(codebook, wide), notes };
}

function rangeOf(codebook: Codebook, name: string): Range | undefined {
  const column = codebook[name];
  return column.type === 'number' ? column.range : undefined;
}

/**
 * Every range as wide as the formula allows: wider by half, or away from 0 where a logarithm needs it, or as found.
 * Columns are tried one by one only where widening all of them fails.
 */
function widenCodebook(formula: string, codebook: Codebook): Codebook {
  const parsed = parseFormula(formula);
  const allows = (candidate: Codebook): boolean => {
    try {
      createDesign(parsed, candidate);
      return true;
    } catch (failure) {
      if (failure instanceof FormulaError) return false;
      throw failure;
    }
  };
  const withRange = (from: Codebook, name: string, range: Range): Codebook => ({
    ...from,
    [name]: { ...from[name], range } as Codebook[string],
  });
  const names = Object.keys(codebook).filter((name) => rangeOf(codebook, name) !== undefined);
  const widest = names.reduce(
    (from, name) => withRange(from, name, widenRange(rangeOf(codebook, name)!)),
    codebook,
  );
  if (allows(widest) || !allows(codebook)) return widest;
  return names.reduce((from, name) => {
    const found = rangeOf(codebook, name)!;
    const wide = widenRange(found);
    const candidates = [wide, offZero(wide, found)].map((range) => withRange(from, name, range));
    return candidates.find(allows) ?? from;
  }, codebook);
}

function widenedColumns(found: Codebook, wide: Codebook): Widened[] {
  return Object.keys(found).flatMap((column) => {
    const from = rangeOf(found, column);
    const to = rangeOf(wide, column);
    if (from === undefined || to === undefined) return [];
    return from[0] === to[0] && from[1] === to[1] ? [] : [{ column, from, to }];
  });
}
