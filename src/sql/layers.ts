import type { SqlDialect } from './dialect.ts';

/** A piece of SQL: texts, and values of the row that have names. */
export interface Sql {
  readonly parts: readonly (string | Named)[];
}

/** A value of each row that has a name, so that it is computed once. */
export interface Named extends Sql {
  readonly name: string;
  readonly definition: Sql;
}

/** SQL with named values in it. */
export function sql(
  texts: TemplateStringsArray,
  ...values: readonly (Sql | string | number)[]
): Sql {
  const parts = texts.flatMap((text, k) => {
    const value = values[k];
    if (value === undefined) return [text];
    return [text, ...(typeof value === 'object' ? value.parts : [String(value)])];
  });
  return { parts };
}

/** Pieces with a text between them. */
export function joinSql(pieces: readonly Sql[], between: string): Sql {
  return { parts: pieces.flatMap(({ parts }, k) => (k === 0 ? parts : [between, ...parts])) };
}

const PLACE = '\u0001';

/** A piece inside what a dialect writes around it. */
export function around(write: (text: string) => string, piece: Sql): Sql {
  const texts = write(PLACE).split(PLACE);
  return { parts: texts.flatMap((text, k) => (k === 0 ? [text] : [...piece.parts, text])) };
}

/** Names values, the same definition once. */
export interface Layers {
  name(definition: Sql): Named;
}

export function layers(): Layers {
  const known = new Map<string, Named>();
  return {
    name(definition) {
      const key = textOf(definition);
      const found = known.get(key);
      if (found !== undefined) return found;
      const parts: Named[] = [];
      const named: Named = { name: `_v${known.size + 1}`, parts, definition };
      parts.push(named);
      known.set(key, named);
      return named;
    },
  };
}

/** The text with names for the values that have some. */
export function textOf({ parts }: Sql): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.name)).join('');
}

/** A query's relation, and its columns over it. */
export interface Nested {
  /** What stands after FROM. */
  readonly relation: string;
  readonly columns: readonly string[];
}

/** Longest text of a value that is written where it is used, in place of a name. */
const LONGEST_INLINE = 400;

/**
 * The values behind `outputs` as nested selects, one for each layer: a definition uses only names of the layers inside. A value
 * that is used once has no name. `source` is the relation of the table.
 */
export function nested(outputs: readonly Sql[], source: string, dialect: SqlDialect): Nested {
  const needed = namedBehind(outputs);
  const uses = new Map<Named, number>();
  for (const piece of [...needed.map(({ definition }) => definition), ...outputs]) {
    for (const one of namedIn(piece)) uses.set(one, (uses.get(one) ?? 0) + 1);
  }
  // Definitions with what is used once written out, inner ones first.
  const texts = new Map<Named, string>();
  const inlined = new Map<Named, string>();
  const levels = new Map<Named, number>();
  const behind = new Map<Named, readonly Named[]>();
  const written = ({ parts }: Sql) => ({
    text: parts
      .map((part) => (typeof part === 'string' ? part : (inlined.get(part) ?? part.name)))
      .join(''),
    uses: namedIn({ parts }).flatMap((one) => (inlined.has(one) ? behind.get(one)! : [one])),
  });
  for (const one of needed) {
    const { text, uses: inside } = written(one.definition);
    behind.set(one, inside);
    if (uses.get(one) === 1 && inside.length > 0 && text.length < LONGEST_INLINE) {
      inlined.set(one, `(${text})`);
      continue;
    }
    texts.set(one, text);
    levels.set(one, 1 + inside.reduce((most, used) => Math.max(most, levels.get(used)!), 0));
  }
  const final = outputs.map(written);
  const last = new Map<Named, number>();
  for (const [one, level] of levels) {
    for (const used of behind.get(one)!) last.set(used, Math.max(last.get(used) ?? 0, level));
  }
  for (const used of final.flatMap((one) => one.uses)) last.set(used, Number.POSITIVE_INFINITY);
  const deepest = [...levels.values()].reduce((most, level) => Math.max(most, level), 0);
  let relation = source;
  for (let level = 1; level <= deepest; level++) {
    const present = [...levels].filter(([one, own]) => own <= level && last.get(one)! > level);
    const passed = present.filter(([, own]) => own < level).map(([{ name }]) => name);
    const made = present
      .filter(([, own]) => own === level)
      .map(([one]) => `${texts.get(one)} as ${one.name}`);
    const columns = [...(passed.length === 0 ? [] : [passed.join(', ')]), ...made];
    const fence =
      dialect.fence === ''
        ? ''
        : `
${dialect.fence}`;
    relation = `(\nselect ${columns.join(',\n  ')}\nfrom ${relation}${fence}\n) as layer${level}`;
  }
  return { relation, columns: final.map(({ text }) => text) };
}

/** The named values behind some pieces, each after those in its definition. */
export function namedBehind(outputs: readonly Sql[]): Named[] {
  const found = new Set<Named>();
  const entered = new Set<Named>();
  const waiting = outputs.flatMap(namedIn).toReversed();
  while (waiting.length > 0) {
    const one = waiting.at(-1)!;
    if (entered.has(one)) {
      found.add(one);
      waiting.pop();
      continue;
    }
    entered.add(one);
    waiting.push(
      ...namedIn(one.definition)
        .filter((inner) => !entered.has(inner))
        .toReversed(),
    );
  }
  return [...found];
}

function namedIn({ parts }: Sql): Named[] {
  return parts.filter((part): part is Named => typeof part !== 'string');
}
