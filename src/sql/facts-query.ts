import type { Agreement } from '../federate.ts';
import type { SqlDialect } from './dialect.ts';
import { type FactsTraits, factsPlan } from './facts-plan.ts';
import { nested, sql, textOf } from './layers.ts';
import type { SqlQuery } from './sql-answer.ts';
import type { SqlOutput } from './sums-plan.ts';
import { inParts, notesOn, shortEnough, sourceOf } from './sums-query.ts';
import { isWeightedEnd, isWeightedLargest } from './weighted-facts-plan.ts';

/**
 * What the disclosure rules have to know about the rows, as queries of one row each: cells of two-valued columns, sums and largest
 * values of groups, numbers of different values and persons. The answers have extremes of rows: they stay at the site.
 */
export function factsQuery(
  agreed: Agreement,
  dialect: SqlDialect,
  table: string,
  traits: FactsTraits = {},
): readonly SqlQuery[] {
  const plan = factsPlan(agreed, dialect, traits);
  const source = sourceOf(table);
  const select = (outputs: readonly SqlOutput[], joined: readonly string[]): string => {
    const { relation, columns } = nested(
      outputs.map(({ value }) => value),
      source,
      dialect,
    );
    const named = columns.map((text, k) => `${text} as ${outputs[k]!.name}`).join(',\n  ');
    return `select\n  ${named}\nfrom ${[relation, ...joined].join('\ncross join ')}`;
  };
  const ends = plan.first.filter(
    ({ name }) => /^(top|bottom|mean)_/.test(name) || isWeightedEnd(name),
  );
  const found = (outputs: readonly SqlOutput[], joined: readonly string[], name: string) =>
    outputs.length === 0 ? [] : [`(\n${select(outputs, joined)}\n) as ${name}`];
  /** What was found first, as far as some outputs compare rows with it. */
  const extremesFor = (outputs: readonly SqlOutput[]) =>
    found(namedIn(outputs, ends), [], 'extremes');
  // Some engines join only once in a query, so what was found first comes along with what was found next.
  const carried = [
    ...plan.second.filter(({ name }) => name.startsWith('first_') || isWeightedLargest(name)),
    ...ends.map(({ name }) => ({
      name: `the_${name}`,
      value: sql`max(${name})`,
    })),
  ];
  const largestFor = (outputs: readonly SqlOutput[]) => {
    const largest = namedIn(outputs, carried);
    return found(largest, extremesFor(largest), 'largest');
  };
  const steps = [
    { outputs: plan.first, joinedTo: () => [] },
    { outputs: plan.second, joinedTo: extremesFor },
    { outputs: plan.third, joinedTo: largestFor },
  ];
  const { common } = plan.sums;
  const wanted = steps
    .filter(({ outputs }) => outputs.length > 0)
    .flatMap(({ outputs, joinedTo }) =>
      shortEnough(
        inParts(outputs, common, dialect),
        (part) => select([...common, ...part], joinedTo(part)).length,
        dialect,
      ).map((part) => ({ part, joined: joinedTo(part) })),
    );
  return wanted.map(({ part, joined }, k) => {
    const name = `facts ${k + 1} of ${wanted.length}`;
    const comment = [
      `Suffice: facts about the rows for the disclosure rules, ${dialect.title}, ${name}. It only reads.`,
      `Study ${agreed.digest}`,
      'The answer has counts, and smallest and largest values: keep it at the site.',
    ];
    const labels: SqlOutput[] = [
      { name: 'study', value: sql`${dialect.text(agreed.digest)}` },
      { name: 'engine', value: sql`${dialect.text(dialect.name)}` },
    ];
    const outputs = [...plan.sums.common, ...part];
    const text = select([...labels, ...outputs], joined);
    const lines = [...comment, ...notesOn(text, dialect)].map((line) => `-- ${line}\n`).join('');
    return {
      name,
      sql: `${lines}${text}\n`,
      columns: [...labels, ...outputs].map((one) => one.name),
    };
  });
}

/** Those of `all` whose names stand in some outputs. */
function namedIn(outputs: readonly SqlOutput[], all: readonly SqlOutput[]): SqlOutput[] {
  const words = new Set(outputs.flatMap(({ value }) => textOf(value).match(/\w+/g) ?? []));
  return all.filter(({ name }) => words.has(name));
}
