import { factsCollector } from '../disclosure/facts-collector.ts';
import type { ReleasedColumn } from '../disclosure/history.ts';
import { joinFacts, type RowFacts } from '../disclosure/row-facts.ts';
import { joinTags, type RowTags, tagger } from '../disclosure/row-tags.ts';
import { mappedNames } from '../features/mapped-columns.ts';
import { type Agreement, codebookIn } from '../federate.ts';
import type { Method } from '../fusion/method.ts';
import { completeRows } from '../statistic/complete-rows.ts';
import type { RowWatcher } from '../statistic/cross-product.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { digestJson } from '../study/digest.ts';
import type { Block } from '../table/columns.ts';
import { type Description, describer, joinDescriptions } from '../table/describe.ts';
import { originalFacts } from './original-facts.ts';

/** What a site learns of its own rows while they are reduced; none of it leaves. */
export interface Inspection {
  readonly description: Description;
  /** Absent where noise protects the rows, and no rule asks. */
  readonly facts?: RowFacts;
  /** The same of the formula's own columns, where the statistic has mapped ones. */
  readonly originals?: RowFacts;
  /** A tag of each row that counts, over the columns of the study. */
  readonly tags: RowTags;
}

/** How rows are looked at. */
export interface InspectionChoices {
  /** What rows are tagged with. */
  readonly tagKey: Uint32Array;
  /** Count the values of number columns in bins, for a person's eyes. */
  readonly histograms?: boolean;
}

export interface Inspector {
  /** Announces the block to be reduced next: as it was read, and as the reduction takes it. */
  next(read: Block, arranged: Block): void;
  /** For a regression, whose rows are also audited. */
  readonly watch: RowWatcher;
  finish(): Inspection;
}

/** Looks at rows on their way into a statistic. */
export function inspector(
  agreed: Agreement,
  columns: readonly string[],
  { tagKey, histograms = false }: InspectionChoices,
): Inspector {
  const codebook = codebookIn(agreed);
  const described = describer(
    columns.map((name) => ({ name, column: codebook[name] })),
    { histograms },
  );
  const { noise, regression } = agreed.method;
  const audited = noise === undefined ? regression : undefined;
  const facts = audited && factsCollector(audited.layout, audited.design.terms);
  const tags = tagger(tagKey);
  const places = taggedColumns(agreed).map(({ name }) =>
    agreed.columns.findIndex((column) => column.name === name),
  );
  const originals = audited && originalFacts(audited);
  let coming: readonly Float64Array[] = [];
  let block: Block = { rows: 0, columns: [] };
  const tagComplete = (arranged: Block) => {
    const { block: used, origin } = completeRows(arranged, () => {});
    tags.add(used.rows, coming, (r) => origin?.[r] ?? r);
  };
  return {
    next(read, arranged) {
      described.add(read);
      coming = places.map((place) => arranged.columns[place]);
      block = arranged;
      // Of another method nobody knows whether it shows its rows: they are tagged whatever it does.
      if (regression === undefined) tagComplete(arranged);
    },
    watch(rows, seen, indexOf) {
      if (regression === undefined) return;
      facts?.add(rows, seen);
      originals?.add(block, rows, indexOf);
      tags.add(rows, coming, indexOf);
    },
    finish: () => ({
      description: described.finish(),
      ...(facts && { facts: facts.finish() }),
      ...(originals && { originals: originals.finish() }),
      tags: tags.finish(),
    }),
  };
}

/** The columns whose values make a row what it is: all that are read but whose row it is, in order of names. */
export function taggedColumns({ columns }: Pick<Agreement, 'columns'>): ReleasedColumn[] {
  const tagged = new Map(columns.map((column) => [column.name, column]));
  return [...tagged.values()]
    .filter(({ name, column }) => name !== SITE_COLUMN && column.type !== 'id')
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The column of weights, where rows are weighted. */
export function weightsOf({ regression }: Pick<Method, 'regression'>): {
  readonly weights?: string;
} {
  const weights = regression?.study.weights;
  return weights === undefined ? {} : { weights };
}

/** What the columns of a statistic are known by over all studies: a mapped one, by its map's choices and what it is of. */
export function releasedLabels({
  regression,
  columns,
}: Pick<Method, 'regression' | 'columns'>): string[] {
  if (regression === undefined) return columns.map(({ name }) => name);
  const { design, layout } = regression;
  const labels = layout.columns.slice(1);
  if (design.mapped === undefined) return labels;
  const { from, map, terms } = design.mapped;
  const of = digestJson(from.columns.map(({ name, publicUnit }) => ({ name, publicUnit })));
  const mapped = mappedNames(design);
  return labels.map((name) =>
    mapped.has(name) ? `${name} of ${map.choices(terms)} over ${of}` : name,
  );
}

export function joinInspections(parts: readonly Inspection[]): Inspection {
  const facts = parts.flatMap((part) => part.facts ?? []);
  const originals = parts.flatMap((part) => part.originals ?? []);
  return {
    description: joinDescriptions(parts.map(({ description }) => description)),
    ...(facts.length === 0 ? {} : { facts: joinFacts(facts) }),
    ...(originals.length === 0 ? {} : { originals: joinFacts(originals) }),
    tags: joinTags(parts.map(({ tags }) => tags)),
  };
}
