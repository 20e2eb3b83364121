import { type ConclusionTerms, conclude, type Result } from '../conclude.ts';
import { FailureError } from '../failure.ts';
import { withAllowedRange } from '../features/reference.ts';
import { agreement } from '../federate.ts';
import { parseStudy } from '../fusion/study-schema.ts';
import type { Contribution } from '../statistic/envelope.ts';
import { missingCells } from '../statistic/missing-cells.ts';
import type { Statistic } from '../statistic/statistic.ts';
import { defaultMissing } from '../study/codebook.ts';
import type { Study } from '../study/study.ts';
import { type CellValue, inMemoryBlock } from '../table/in-memory.ts';
import { exchangeHere } from './exchange-here.ts';
import type { PartyRows } from './party-rows.ts';
import { keyColumns, partyRows } from './read-party.ts';
import { partyModel, type VerticalStudy, verticalStudy } from './vertical-study.ts';

/** The rows of a party in memory: one array a column, with its key columns. */
export type PartyColumns = Readonly<Record<string, ArrayLike<CellValue>>>;

/** What came of a study whose parties hold different columns. */
export interface FederatedParties extends Result {
  readonly study: Study;
  /** What each party sent to the coordinator: a share of the total. */
  readonly contributions: readonly Contribution[];
  readonly total: Statistic;
  /** People whose rows every party has. */
  readonly people: number;
}

/**
 * A whole study over different columns of the same people, in one process: the parties link their rows, exchange masked columns and send
 * shares, which add up to the sums of the joined table bit for bit. Throws a `FailureError` that names the problem and the remedy.
 */
export function federateParties(
  study: Study,
  parties: Readonly<Record<string, PartyColumns>>,
  {
    missing = 'drop',
    ...terms
  }: Partial<Omit<ConclusionTerms, 'sites'>> & { readonly missing?: 'drop' | 'refuse' } = {},
): FederatedParties {
  const split = verticalStudy(agreement(parseStudy(study)));
  const rows = new Map(
    Object.entries(parties).map(([party, columns]) => [
      party,
      rowsInMemory(split, party, columns, missing),
    ]),
  );
  const { collected, contributions, people } = exchangeHere(split, rows);
  const sites = split.parties.map((name) => ({ name }));
  const result = conclude(split.agreed, collected, { audience: 'analyst', ...terms, sites });
  if ('problem' in result) {
    const { withheld, ...failure } = result;
    throw new FailureError(withheld === true ? 'policy' : 'data', failure);
  }
  return { study: split.agreed.study, ...result, contributions, total: collected.total, people };
}

/** Rows in memory as a party has them after reading a file. */
export function rowsInMemory(
  study: VerticalStudy,
  party: string,
  columns: PartyColumns,
  missing: 'drop' | 'refuse' = 'drop',
): PartyRows {
  const { codebook } = study.design;
  const wanted = partyModel(study, party).design.variables.map((name) => ({
    name,
    column: withAllowedRange(codebook[name]),
  }));
  const block = inMemoryBlock(wanted, columns, party);
  const keys = keyColumns(study).map((name) => {
    const markers = codebook[name]?.missing ?? defaultMissing;
    const texts = Array.from({ length: block.rows }, (_, r) => {
      const cell = columns[name]?.[r];
      const text = cell === null || cell === undefined ? undefined : String(cell);
      return text === undefined || markers.includes(text.trim()) ? undefined : text;
    });
    return [name, texts] as const;
  });
  const names = wanted.map(({ name }) => name);
  return partyRows(block, new Map(keys), missingCells(names, { file: party, missing }), party);
}
