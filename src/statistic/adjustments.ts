/**
 * What a private study does to a site's rows in place of refusing them: a refusal would be seen by others. Only the site
 * sees it.
 */
export interface Adjustments {
  /** Cells by column that were moved to the nearest end of the public range. */
  readonly bounded: Readonly<Record<string, number>>;
  /** Rows whose response is missing and counts as the public centre. */
  readonly unlabelled: number;
  /** Rows left out because their person has as many as the study hides. */
  readonly beyondPerson: number;
  /** Rows left out because the formula has no value for them. */
  readonly valueless: number;
}

/** The adjustments of several parts of one site's rows. */
export function joinAdjustments(parts: readonly Adjustments[]): Adjustments {
  const sum = (count: (one: Adjustments) => number) => parts.reduce((s, one) => s + count(one), 0);
  const columns = [...new Set(parts.flatMap(({ bounded }) => Object.keys(bounded)))];
  return {
    bounded: Object.fromEntries(
      columns.map((column) => [column, sum(({ bounded }) => bounded[column] ?? 0)]),
    ),
    unlabelled: sum((one) => one.unlabelled),
    beyondPerson: sum((one) => one.beyondPerson),
    valueless: sum((one) => one.valueless),
  };
}
