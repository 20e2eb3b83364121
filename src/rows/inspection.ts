import { defined } from '../defined.ts';
import { factsCollector } from '../disclosure/facts-collector.ts';
import { joinFacts, type RowFacts } from '../disclosure/row-facts.ts';
import { mappedNames } from '../features/mapped-columns.ts';
import { type Agreement, codebookIn } from '../federate.ts';
import type { Method } from '../fusion/method.ts';
import { completeRows } from '../statistic/complete-rows.ts';
import type { RowWatcher } from '../statistic/cross-product.ts';
import { digestJson } from '../study/digest.ts';
import type { Block } from '../table/columns.ts';
import { type ColumnSummary, describer, joinDescriptions } from '../table/describe.ts';
import { originalFacts } from './original-facts.ts';
import { readTagger } from './read-tags.ts';

/** What a site learns about its own rows while they are reduced; it is never sent. */
export interface Inspection {
  readonly description: ColumnSummary;
  /** Absent where noise protects the rows, so that no rule needs them. */
  readonly facts?: RowFacts;
  /** The same for the formula's columns and the parts of its expressions, where the statistic has others. */
  readonly originals?: RowFacts;
  /** For each row of the file, in order: 1 where the statistic has it, else 0. */
  readonly used: Uint8Array;
  /** A tag of each row of the file over the study's columns, in order, in parts, if the cells were read as what they say. */
  readonly tags?: readonly BigUint64Array[];
}

/** How rows are inspected. */
export interface InspectionChoices {
  /** Count the values of number columns in bins, to show to a person. */
  readonly histograms?: boolean;
  /** Tag the rows with this key, if values tell what cells say. */
  readonly tagKey?: Uint32Array;
}

export interface Inspector {
  /** Must be called before a block is reduced: the block as read, and as the reduction takes it. */
  next(read: Block, arranged: Block): void;
  /** Receives the rows of a regression, which are also audited. */
  readonly watch: RowWatcher;
  finish(): Inspection;
}

/** Inspects rows while they are reduced to a statistic. */
export function inspector(
  agreed: Agreement,
  columns: readonly string[],
  { histograms = false, tagKey }: InspectionChoices,
): Inspector {
  const codebook = codebookIn(agreed);
  const described = describer(
    columns.map((name) => ({ name, column: codebook[name] })),
    { histograms },
  );
  const { noise, regression } = agreed.method;
  const audited = noise === undefined ? regression : undefined;
  const facts = audited && factsCollector(audited.layout, audited.design.terms);
  const originals = audited && originalFacts(audited);
  const tagged = tagKey && readTagger(agreed, columns, tagKey);
  const used: Uint8Array[] = [];
  let block: Block = { rows: 0, columns: [] };
  let usedNow = new Uint8Array(0);
  const use = (rows: number, indexOf: (r: number) => number) => {
    // Rows are in order, each once.
    const [first, last] = [indexOf(0), indexOf(rows - 1)];
    if (last - first === rows - 1) usedNow.fill(1, first, last + 1);
    else for (let r = 0; r < rows; r++) usedNow[indexOf(r)] = 1;
  };
  return {
    next(read, arranged) {
      described.add(read);
      tagged?.add(read);
      block = arranged;
      usedNow = new Uint8Array(arranged.rows);
      used.push(usedNow);
      // Another method may not call `watch`, so its rows are noted here.
      if (regression !== undefined) return;
      const { block: complete, origin } = completeRows(arranged, () => {});
      use(complete.rows, (r) => origin?.[r] ?? r);
    },
    watch(rows, seen, indexOf) {
      if (regression === undefined) return;
      facts?.add(rows, seen);
      originals?.add(block, rows, indexOf);
      use(rows, indexOf);
    },
    finish: () => ({
      description: described.finish(),
      ...(facts && { facts: facts.finish() }),
      ...(originals && { originals: originals.finish() }),
      used: joinUsed(used),
      ...defined({ tags: tagged?.finish() }),
    }),
  };
}

/** The column of weights, where rows are weighted. */
export function weightsOf({ regression }: Pick<Method, 'regression'>): {
  readonly weights?: string;
} {
  return defined({ weights: regression?.study.weights });
}

/**
 * Labels of a statistic's columns that are comparable over studies; a mapped column is labelled by its map and inputs.
 */
export function releasedLabels({
  regression,
  columns: read,
  start,
}: Pick<Method, 'regression' | 'columns' | 'start'>): string[] {
  if (regression === undefined) return read.map(({ name }) => name);
  const { design, layout } = regression;
  // Sums with other weights are other sums.
  const round = start?.decides === 'weights' ? ` weighted at ${digestJson(start.at)}` : '';
  const labels = layout.columns.slice(1).map((name) => `${name}${round}`);
  if (design.mapped === undefined) return labels;
  const { from, map, terms } = design.mapped;
  const columns = from.columns.map(({ name, publicUnit }) => ({ name, publicUnit }));
  // The same pixels in another form are other images.
  const of = digestJson(from.image === undefined ? columns : { columns, image: from.image });
  const mapped = mappedNames(design);
  return labels.map((name, k) =>
    mapped.has(layout.columns[k + 1]) ? `${name} of ${map.choices(terms)} over ${of}` : name,
  );
}

export function joinInspections(inspections: readonly Inspection[]): Inspection {
  const facts = inspections.flatMap((one) => one.facts ?? []);
  const originals = inspections.flatMap((one) => one.originals ?? []);
  return {
    description: joinDescriptions(inspections.map(({ description }) => description)),
    ...(facts.length === 0 ? {} : { facts: joinFacts(facts) }),
    ...(originals.length === 0 ? {} : { originals: joinFacts(originals) }),
    used: joinUsed(inspections.map(({ used }) => used)),
    ...(inspections.every(({ tags }) => tags) && {
      tags: inspections.flatMap(({ tags = [] }) => tags),
    }),
  };
}

/** Which rows are used, from the parts of a file in order. */
export function joinUsed(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
