/** A problem of a plan, with the field it is about. */
export interface PlanProblem {
  /** `formula`, `columns.NAME`, `method.ridge`, `privacy.epsilon`, `sites` … */
  readonly field: string;
  readonly problem: string;
  readonly remedy: string;
  /** Position in the text of the formula. */
  readonly position?: number;
  /** The field is still empty: the problem is shown only after Create was pressed. */
  readonly untouched?: boolean;
}

/** Reads texts as numbers and collects problems; a text that cannot be read gives undefined. */
export interface PlanReading {
  readonly problems: PlanProblem[];
  /** A number within bounds. */
  number(field: string, text: string, bounds: RangeBounds): number | undefined;
  /** The same for a field that may be empty. */
  optional(field: string, text: string, bounds: RangeBounds): number | undefined;
}

export interface RangeBounds {
  readonly above?: number;
  readonly from?: number;
  readonly below?: number;
  readonly to?: number;
  readonly whole?: true;
}

export function createReading(): PlanReading {
  const problems: PlanProblem[] = [];
  const number: PlanReading['number'] = (field, text, bounds) => {
    const trimmed = text.trim();
    const value = trimmed === '' ? Number.NaN : Number(trimmed);
    if (fits(value, bounds)) return value;
    const comma = Number.isNaN(value) && Number.isFinite(Number(trimmed.replace(',', '.')));
    problems.push({
      field,
      problem: trimmed === '' ? 'a number is needed here' : `it must be ${boundsText(bounds)}`,
      remedy: comma && trimmed !== '' ? 'write a decimal point, not a comma' : 'write it in digits',
    });
    return undefined;
  };
  return {
    problems,
    number,
    optional: (field, text, bounds) =>
      text.trim() === '' ? undefined : number(field, text, bounds),
  };
}

function fits(value: number, { above, from, below, to, whole }: RangeBounds): boolean {
  return (
    Number.isFinite(value) &&
    (above === undefined || value > above) &&
    (from === undefined || value >= from) &&
    (below === undefined || value < below) &&
    (to === undefined || value <= to) &&
    (whole === undefined || Number.isInteger(value))
  );
}

function boundsText({ above, from, below, to, whole }: RangeBounds): string {
  const parts = [
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(from === undefined ? [] : [`at least ${from}`]),
    ...(below === undefined ? [] : [`below ${below}`]),
    ...(to === undefined ? [] : [`at most ${to}`]),
  ];
  const kind = whole === undefined ? 'a number' : 'a whole number';
  return parts.length === 0 ? kind : `${kind} ${parts.join(' and ')}`;
}
