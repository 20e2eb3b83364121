import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { knotNotes, spelledKnots } from '../features/spelled-knots.ts';
import type { Grid } from '../statistic/linear-layout.ts';
import type { Codebook } from '../study/codebook.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { type Formula, formulaColumns, parseFormula } from '../study/formula.ts';
import { refuseUnknownNames } from '../study/formula-terms.ts';
import type { Fusion, PrivacyTerms, Study, TableStudy } from '../study/study.ts';
import { HeaderBelow } from '../table/header-below.ts';
import { type Drafted, type DraftingOptions, draftFor } from './draft.ts';
import type { Host } from './host.ts';
import type { Pool } from './pool.ts';
import type { ReduceJob } from './reduce-job.ts';
import { siteNames } from './site-names.ts';
import type { Address, Source } from './source.ts';
import { openSource } from './sources.ts';
import type { Watch } from './watch.ts';

/** What to fit, over which files. */
export interface FitPlan extends DraftingOptions {
  readonly formula: string;
  readonly files: readonly Address[];
  /** Drafted from all files together when absent. */
  readonly codebook?: Codebook;
  readonly weights?: string;
  readonly fusion: Fusion;
  readonly features?: NonNullable<TableStudy['features']>;
  readonly arithmetic: 'exact' | 'compact';
  /** Fixed when given; otherwise 44, and 88 when fewer than 8 digits are certain. */
  readonly grid?: Grid;
  readonly encoding?: string;
  /** Fit as a private study would, with new noise at every call. */
  readonly privacy?: PrivacyTerms;
}

/** A study ready to run over files: everything but the rows themselves. */
export interface PreparedFit {
  readonly study: Study;
  readonly sources: readonly Source[];
  readonly sites: readonly ReduceJob['site'][];
}

/** The same for tables and a formula. */
export interface PreparedTables extends PreparedFit, Pick<Drafted, 'notes' | 'rare'> {
  readonly study: TableStudy;
}

/** Reads headers and, without a codebook, drafts one from all files together. */
export async function prepareFit(
  request: FitPlan,
  pool: Pool,
  watch: Watch,
): Promise<PreparedTables> {
  const formula = parseFormula(request.formula);
  const { columns, usesDot } = formulaColumns(formula);
  const person = request.privacy?.person;
  const extra = [request.weights, request.siteColumn].filter((name) => name !== undefined);
  const named = [...new Set([...columns, ...extra])].filter((name) => name !== SITE_COLUMN);
  const sources = await openAll(request, formula, named, pool.host);
  const rest = usesDot ? sources[0].header : [];
  const wanted = [...new Set([...named, ...rest])];
  const optional = wanted.filter((name) => !named.includes(name));
  const asked = request.privacy === undefined ? {} : ({ notation: 'declared' } as const);
  const draft: Drafted =
    request.codebook === undefined
      ? await draftFor({ ...request, ...asked, formula, wanted, optional, sources }, pool, watch)
      : { codebook: request.codebook, notes: [], rare: [] };
  const { codebook: drafted } = draft;
  for (const name of named) {
    if (drafted[name] === undefined) {
      throw new DataError(
        'the codebook does not describe it',
        { column: name },
        `add it to the codebook, which has ${Object.keys(drafted).join(', ')}`,
      );
    }
  }
  const names = siteNames(sources.map(({ name }) => name));
  const sites =
    request.siteColumn === undefined
      ? names.map((name) => ({ name }))
      : names.map(() => ({ column: request.siteColumn as string }));
  const codebook = { ...drafted };
  if (person !== undefined) codebook[person] ??= { type: 'id' };
  if (columns.includes(SITE_COLUMN) && codebook[SITE_COLUMN] === undefined) {
    codebook[SITE_COLUMN] = { type: 'category', levels: levelsOfSites(request, drafted, names) };
  }
  const spelled = spelledKnots(request.formula, codebook);
  const study: TableStudy = {
    schema: 'suffice/study@1',
    formula: spelled.formula,
    codebook,
    ...defined({ weights: request.weights }),
    fusion: request.fusion,
    ...defined({ features: request.features }),
    arithmetic: request.arithmetic,
    grid: request.grid ?? 44,
    ...defined({ privacy: request.privacy }),
  };
  const notes = [...draft.notes, ...knotNotes(spelled)];
  return { study, sources, sites, notes, rare: draft.rare };
}

/** Opens the files. A name that none of them has is a slip of the formula, not of the files. */
async function openAll(
  { files, encoding, decimal }: Pick<FitPlan, 'files' | 'encoding' | 'decimal'>,
  formula: Formula,
  named: readonly string[],
  host: Host,
): Promise<Source[]> {
  const open = (wanted: readonly string[]) =>
    Promise.all(files.map((file) => openSource(host, file, wanted, encoding, decimal)));
  try {
    return await open(named);
  } catch (failure) {
    if (!(failure instanceof DataError) || failure instanceof HeaderBelow) throw failure;
    const columns = (await open([])).flatMap(({ header }) => header);
    refuseUnknownNames(formula, [...new Set([...columns, SITE_COLUMN])]);
    throw failure;
  }
}

function levelsOfSites(request: FitPlan, codebook: Codebook, names: readonly string[]): string[] {
  const column = request.siteColumn === undefined ? undefined : codebook[request.siteColumn];
  return column?.type === 'category' ? [...column.levels] : [...names].sort();
}
