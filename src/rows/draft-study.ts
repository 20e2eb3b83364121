import { DataError } from '../data-error.ts';
import { createDesign } from '../features/design.ts';
import type { Codebook } from '../study/codebook.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { FormulaError, formulaColumns, parseFormula } from '../study/formula.ts';
import type { DisclosureTerms, Quorum, TableStudy } from '../study/study.ts';
import { offZero, type Range, widenRange } from '../study/widen-range.ts';
import type { Pool } from './pool.ts';
import { type FitPlan, prepareFit } from './prepare-fit.ts';
import type { Watch } from './watch.ts';

/** What a study is drafted from: the analyst's own files, which stand for those of the sites. */
export interface DraftStudyRequest extends Omit<FitPlan, 'codebook' | 'siteColumn'> {
  readonly name?: string;
  readonly quorum?: Quorum;
  readonly disclosure?: DisclosureTerms;
  /** Levels of `.site`, where the formula speaks of it. */
  readonly sites: readonly string[];
  /** Leave ranges as the files have them. */
  readonly exactRanges: boolean;
}

/** A range that was drawn wider than the files need. */
export interface Widened {
  readonly column: string;
  readonly from: Range;
  readonly to: Range;
}

export interface DraftedStudy {
  readonly study: TableStudy;
  readonly widened: readonly Widened[];
}

/** Whether a formula speaks of the sites, so that the study must know them by name. */
export function speaksOfSites(formula: string): boolean {
  return formulaColumns(parseFormula(formula)).columns.includes(SITE_COLUMN);
}

/** A study from a formula and files: types, levels and ranges as found, ranges widened for other sites. */
export async function draftStudy(
  request: DraftStudyRequest,
  pool: Pool,
  watch: Watch,
): Promise<DraftedStudy> {
  const usesSite = speaksOfSites(request.formula);
  if (usesSite && request.sites.length < 2) {
    throw new DataError(
      `the formula speaks of ${SITE_COLUMN}, and the study must know the sites by name`,
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
    ...(request.name === undefined ? {} : { name: request.name }),
    formula,
    codebook: wide,
    ...rest,
    ...(request.grid === undefined ? {} : { grid: request.grid }),
    ...(request.disclosure === undefined ? {} : { disclosure: request.disclosure }),
    ...(request.quorum === undefined ? {} : { quorum: request.quorum }),
  };
  return { study, widened: widenedColumns(codebook, wide) };
}

function rangeOf(codebook: Codebook, name: string): Range | undefined {
  const column = codebook[name];
  return column.type === 'number' ? column.range : undefined;
}

/**
 * Every range as wide as the formula bears: outward by half, or off 0 where a logarithm needs it, or as found.
 * Where all at once go well, as nearly always, columns are not tried one by one.
 */
function widenCodebook(formula: string, codebook: Codebook): Codebook {
  const parsed = parseFormula(formula);
  const bears = (candidate: Codebook): boolean => {
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
  if (bears(widest) || !bears(codebook)) return widest;
  return names.reduce((from, name) => {
    const found = rangeOf(codebook, name)!;
    const wide = widenRange(found);
    const candidates = [wide, offZero(wide, found)].map((range) => withRange(from, name, range));
    return candidates.find(bears) ?? from;
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
