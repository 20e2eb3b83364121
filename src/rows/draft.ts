import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import type { Codebook, Column } from '../study/codebook.ts';
import { type Formula, formulaColumns } from '../study/formula.ts';
import { type ColumnDraft, type Draft, mergeDrafts, overlayDraft } from '../table/draft.ts';
import { needsTexts, suggestCodebook } from '../table/draft-codebook.ts';
import { leftOutNotes, type RareLevels, rareLevels, readingNotes } from '../table/draft-notes.ts';
import { twinNotes } from '../table/level-notes.ts';
import { manyLevels } from '../table/many-levels.ts';
import type { DecimalMark } from '../table/notation.ts';
import type { DraftJob, DraftResult } from './draft-job.ts';
import type { Pool } from './pool.ts';
import type { Source } from './source.ts';
import type { Watch } from './watch.ts';

/** How files are read while a codebook is drafted. */
export interface DraftingOptions {
  /** The decimal mark of the text files; their cells show it unless it is given. */
  readonly decimal?: DecimalMark;
  readonly missingMarkers: readonly string[];
  /** Column whose values name the sites; otherwise every file is a site. */
  readonly siteColumn?: string;
  /** Columns whose levels a person has listed, however many they are. */
  readonly listed?: readonly string[];
}

/** What a codebook is drafted for. */
export interface DraftRequest extends DraftingOptions {
  readonly formula: Formula;
  readonly wanted: readonly string[];
  /** Wanted columns that only "." stands for: left out where nearly every row has a text of its own. */
  readonly optional: readonly string[];
  /** `declared` where rows will be read with a declared mark alone, as in a private study. */
  readonly notation?: 'declared';
  readonly sources: readonly Source[];
}

/** A drafted codebook, and what a person should know about it. */
export interface Drafted {
  readonly codebook: Codebook;
  readonly notes: readonly string[];
  /** Categories with levels that only one or two rows have. */
  readonly rare: readonly RareLevels[];
}

/** One codebook from all sources together, before any of them is reduced. */
export async function draftFor(request: DraftRequest, pool: Pool, watch: Watch): Promise<Drafted> {
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
        ...defined({ decimal, notation: request.notation }),
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
  const optional = new Set(request.optional);
  const lacking = needsTexts(draft, categories);
  const padded = [...optional].filter((name) => isPadded(draft.columns.get(name)!));
  const again = [...lacking, ...padded];
  const texts = again.length === 0 ? undefined : await scan(again, again);
  const ids = padded.filter((name) => manyLevels(texts!.columns.get(name)!));
  if (texts !== undefined) draft = withTexts(draft, texts, [...lacking, ...ids]);
  const { codebook, leftOut } = suggestCodebook(draft, {
    factors: categories,
    optional,
    listed: new Set(request.listed),
    ...defined({ decimal }),
  });
  const numeric = new Set(used.numeric);
  const kept = wanted.filter((name) => codebook[name] !== undefined);
  const drafted = Object.fromEntries(
    kept.map((name) => {
      const column = codebook[name];
      return [name, numeric.has(name) && used.factors.includes(name) ? asNumber(column) : column];
    }),
  );
  return {
    codebook: drafted,
    notes: [
      ...otherMarkNotes(sources, decimal),
      ...leftOutNotes(leftOut),
      ...readingNotes(drafted),
      ...twinNotes(drafted).map(({ text }) => text),
    ],
    rare: rareLevels(drafted, draft),
  };
}

/** Files that show another decimal mark than the stated one, which then decides for their unclear columns alone. */
function otherMarkNotes(
  sources: readonly Source[],
  stated: DecimalMark | undefined,
): readonly string[] {
  const others = sources.filter(
    ({ decimal }) => stated !== undefined && decimal !== undefined && decimal !== stated,
  );
  return others.map(
    ({ name, decimal }) =>
      `${name}: its numbers are written with "${decimal}", and the stated decimal mark is "${stated}". Columns that show no mark of their own are read with "${stated}": state no mark if that is wrong`,
  );
}

/** Whether numbers have zeros before them, as ids do. */
function isPadded({ leadingZeros, everyText }: ColumnDraft): boolean {
  return leadingZeros > 0 && !everyText;
}

function withTexts(draft: Draft, texts: Draft, names: readonly string[]): Draft {
  const columns = new Map(names.map((name) => [name, texts.columns.get(name)!]));
  return overlayDraft(draft, { segments: texts.segments, columns });
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
