import type { Dialect } from './dialect.ts';

/** A piece of SQL and the named values in it. */
export interface Sql {
  readonly text: string;
  readonly uses: readonly Named[];
}

/** A value of each row that has a name, so that it is computed once. */
export interface Named extends Sql {
  /** Its definition, and the layer that computes it: 1 + that of the values it uses. */
  readonly definition: Sql;
  readonly level: number;
}

/** SQL with named values in it. */
export function sql(
  parts: TemplateStringsArray,
  ...values: readonly (Sql | string | number)[]
): Sql {
  const uses: Named[] = [];
  let text = parts[0]!;
  values.forEach((value, k) => {
    const inner = typeof value === 'object' ? value : { text: String(value), uses: [] };
    text += inner.text + parts[k + 1]!;
    uses.push(...inner.uses);
  });
  return { text, uses };
}

/** Pieces with a text between them. */
export function joinSql(pieces: readonly Sql[], between: string): Sql {
  return {
    text: pieces.map(({ text }) => text).join(between),
    uses: pieces.flatMap(({ uses }) => uses),
  };
}

/** Names values, the same definition once. */
export interface Layers {
  name(definition: Sql): Named;
}

export function layers(): Layers {
  const known = new Map<string, Named>();
  return {
    name(definition) {
      const found = known.get(definition.text);
      if (found !== undefined) return found;
      const level = 1 + definition.uses.reduce((most, one) => Math.max(most, one.level), 0);
      const uses: Named[] = [];
      const named: Named = { text: `v${known.size + 1}`, uses, definition, level };
      uses.push(named);
      known.set(definition.text, named);
      return named;
    },
  };
}

/**
 * The values behind `outputs` as nested selects, one for each layer: a definition uses only names of the layers inside. Written as
 * the relation after FROM; `source` is the relation of the table.
 */
export function nested(outputs: readonly Sql[], source: string, dialect: Dialect): string {
  const needed = new Map<string, Named>();
  const waiting = outputs.flatMap(({ uses }) => uses);
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (needed.has(one.text)) continue;
    needed.set(one.text, one);
    waiting.push(...one.definition.uses);
  }
  const lastUse = lastLevels([...needed.values()], outputs);
  const deepest = [...needed.values()].reduce((most, { level }) => Math.max(most, level), 0);
  let relation = source;
  for (let level = 1; level <= deepest; level++) {
    const present = [...needed.values()]
      .filter((one) => one.level <= level && lastUse.get(one.text)! > level)
      .sort((a, b) => Number(a.text.slice(1)) - Number(b.text.slice(1)));
    const passed = present.filter((one) => one.level < level).map(({ text }) => text);
    const made = present
      .filter((one) => one.level === level)
      .map((one) => `${one.definition.text} as ${one.text}`);
    const columns = [...(passed.length === 0 ? [] : [passed.join(', ')]), ...made];
    const fence = dialect.fence === '' ? '' : `\n${dialect.fence}`;
    relation = `(\nselect ${columns.join(',\n  ')}\nfrom ${relation}${fence}\n) as layer${level}`;
  }
  return relation;
}

/** The last layer that uses each value; the outputs are in a layer behind all others. */
function lastLevels(needed: readonly Named[], outputs: readonly Sql[]): Map<string, number> {
  const last = new Map<string, number>();
  for (const { definition, level } of needed) {
    for (const { text } of definition.uses) last.set(text, Math.max(last.get(text) ?? 0, level));
  }
  for (const { uses } of outputs) for (const { text } of uses) last.set(text, Infinity);
  return last;
}
