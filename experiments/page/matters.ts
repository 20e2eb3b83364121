import {
  type ExperimentResult,
  type PaperStatement,
  type StatementVerdict,
  verdictOf,
} from '../paper-result.ts';

/** A reading over all statements of a matter: it holds if it holds for each of them. */
export interface MatterReading {
  readonly as: string;
  readonly holds: boolean;
  /** The numbers of each statement, with its place. */
  readonly numbers: readonly { readonly where: string; readonly because: string }[];
}

/** What one or several statements of a paper are about; it is counted once. */
export interface Matter {
  readonly name: string;
  readonly verdict: StatementVerdict;
  readonly statements: readonly (PaperStatement & { readonly result: ExperimentResult })[];
  readonly readings: readonly MatterReading[];
  /** What follows, each sentence once. */
  readonly remarks: readonly string[];
}

/** The matters that the experiments try, in the order in which they come up. */
export function mattersOf(experiments: readonly ExperimentResult[]): Matter[] {
  const groups = new Map<string, Matter['statements'][number][]>();
  for (const result of experiments) {
    for (const one of result.conclusions) {
      if (one.of !== 'paper') continue;
      const group = groups.get(one.matter) ?? [];
      group.push({ ...one, result });
      groups.set(one.matter, group);
    }
  }
  return Array.from(groups, ([name, statements]) => {
    const readings = readingsOf(statements);
    const remarks = [...new Set(statements.map(({ because }) => because))];
    return { name, verdict: verdictOf(readings), statements, readings, remarks };
  });
}

function readingsOf(statements: readonly PaperStatement[]): MatterReading[] {
  const names = new Set(statements.flatMap(({ readings }) => readings.map(({ as }) => as)));
  return Array.from(names, (as) => {
    const found = statements.flatMap(({ where, readings }) =>
      readings.filter((reading) => reading.as === as).map((reading) => ({ ...reading, where })),
    );
    return {
      as,
      holds: found.every(({ holds }) => holds),
      numbers: found.map(({ where, because }) => ({ where, because })),
    };
  });
}
