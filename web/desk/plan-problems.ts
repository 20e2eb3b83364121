/** What keeps a plan from being a study, beside the field it is about. */
export interface PlanProblem {
  /** `formula`, `columns.NAME`, `method.ridge`, `privacy.epsilon`, `sites` … */
  readonly field: string;
  readonly problem: string;
  readonly remedy: string;
  /** Of the formula: where in its text. */
  readonly position?: number;
  /** Nothing has been entered yet: no reason to complain before somebody wants to go on. */
  readonly untouched?: boolean;
}

/** Collects problems while texts are read; a field that cannot be read reads as undefined. */
export interface Reading {
  readonly problems: PlanProblem[];
  /** A number within bounds. */
  number(field: string, text: string, bounds: Bounds): number | undefined;
  /** The same, where nothing may be entered. */
  optional(field: string, text: string, bounds: Bounds): number | undefined;
}

export interface Bounds {
  readonly above?: number;
  readonly from?: number;
  readonly below?: number;
  readonly to?: number;
  readonly whole?: true;
}

export function createReading(): Reading {
  const problems: PlanProblem[] = [];
  const number: Reading['number'] = (field, text, bounds) => {
    const trimmed = text.trim();
    const value = trimmed === '' ? Number.NaN : Number(trimmed);
    if (fits(value, bounds)) return value;
    const comma = Number.isNaN(value) && Number.isFinite(Number(trimmed.replace(',', '.')));
    problems.push({
      field,
      problem: trimmed === '' ? 'a number is needed here' : `it must be ${boundsWords(bounds)}`,
      remedy: comma && trimmed !== '' ? 'write the fraction behind a point' : 'write it in digits',
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

function fits(value: number, { above, from, below, to, whole }: Bounds): boolean {
  return (
    Number.isFinite(value) &&
    (above === undefined || value > above) &&
    (from === undefined || value >= from) &&
    (below === undefined || value < below) &&
    (to === undefined || value <= to) &&
    (whole === undefined || Number.isInteger(value))
  );
}

function boundsWords({ above, from, below, to, whole }: Bounds): string {
  const parts = [
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(from === undefined ? [] : [`at least ${from}`]),
    ...(below === undefined ? [] : [`below ${below}`]),
    ...(to === undefined ? [] : [`at most ${to}`]),
  ];
  const kind = whole === undefined ? 'a number' : 'a whole number';
  return parts.length === 0 ? kind : `${kind} ${parts.join(' and ')}`;
}
