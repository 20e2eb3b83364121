import type { LinearLayout } from '../statistic/linear-layout.ts';
import { baselinesOf, type IndicatedTerm, isIndicator } from './baselines.ts';

/** The name of a level of a category, alone and in a pair. */
export interface LevelName {
  readonly alone: string;
  readonly paired: string;
}

/** What the values of a 0/1 column mean. */
export interface Levels {
  /** Label of the term; its columns exclude each other. */
  readonly term: string;
  readonly one: LevelName;
  /** Only for a term with one column; in others each level behind the 0 has a column of its own. */
  readonly zero?: LevelName;
}

/** The levels that a layout's columns stand for, by index; the baselines come after the columns. */
export function levelNamesOf(
  layout: LinearLayout,
  terms: readonly IndicatedTerm[],
): ReadonlyMap<number, Levels> {
  const found = new Map<number, Levels>();
  const offset = layout.intercept ? 0 : 1;
  for (const { label: term, columns } of terms) {
    const places = columns.map((column) => column + offset);
    const names = places.map((k) => levelName(term, layout.columns[k]));
    if (!places.every((k, i) => isIndicator(layout, k) && names[i] !== undefined)) continue;
    const zero = places.length === 1 ? { zero: baselineName(term) } : {};
    places.forEach((k, i) => {
      found.set(k, { term, one: names[i]!, ...zero });
    });
  }
  baselinesOf(layout, terms).forEach(({ term }, b) => {
    found.set(layout.columns.length + b, { term, one: baselineName(term) });
  });
  return found;
}

/** A column's name is its term and its level; a combination joins such names with colons. */
function levelName(term: string, column: string): LevelName | undefined {
  const labels = term.split(':');
  const parts = labels.length === 1 ? [column] : column.split(':');
  if (parts.length !== labels.length) return undefined;
  const levels = parts.flatMap((part, k) => {
    const level = part.slice(labels[k].length);
    return part.startsWith(labels[k]) && level !== '' ? [`${level} of ${labels[k]}`] : [];
  });
  if (levels.length < labels.length) return undefined;
  const paired = levels.join(' × ');
  return { alone: labels.length === 1 ? `level ${paired}` : paired, paired };
}

function baselineName(term: string): LevelName {
  const name = `the baseline of ${term}`;
  return { alone: name, paired: name };
}
