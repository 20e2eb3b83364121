/** The rules by number, and what each looks at. */
export const ruleTitles = {
  R0: 'enough rows',
  R1: 'few columns for the rows',
  R2: 'rows beyond the rank',
  R3: 'no small level',
  R4: 'no small cell of two columns',
  R5: 'no group of which one row makes the sum',
  R6: 'no row that stands out',
  R7: 'no level that holds for nearly everyone',
  R8: 'no small table of whole numbers',
  R9: 'no release that differs from another by a few rows',
  R10: 'few columns over all releases, and no record numbers',
  R11: 'within the privacy budget',
} as const;

export type RuleId = keyof typeof ruleTitles;

export const ruleIds: readonly RuleId[] = Object.keys(ruleTitles) as RuleId[];

/** One thing a rule objects to. It never tells a value of a row, nor a count below a threshold. */
export interface Verdict {
  readonly rule: RuleId;
  /** `block` refuses; `warn` must be acknowledged. */
  readonly level: 'block' | 'warn';
  readonly columns: readonly string[];
  /** What it is about, where people would not call it by the columns: "level placebo of treatment". */
  readonly names?: readonly string[];
  readonly problem: string;
  readonly remedy: string;
}

/** What a rule found; undefined verdicts mean that it does not apply, and the note says why. */
export interface Finding {
  readonly verdicts: readonly Verdict[] | undefined;
  readonly note?: string;
}

export interface RuleOutcome {
  readonly rule: RuleId;
  readonly title: string;
  readonly outcome: 'pass' | 'warn' | 'block' | 'not-applicable';
  readonly verdicts: readonly Verdict[];
  readonly note?: string;
}

/** What the rules say of one release. */
export interface Audit {
  readonly schema: 'suffice/audit@1';
  readonly profile: string;
  readonly outcome: 'pass' | 'acknowledge' | 'refuse';
  readonly rules: readonly RuleOutcome[];
}

/** The audit that the findings of all rules make. */
export function auditOf(profile: string, findings: Readonly<Record<RuleId, Finding>>): Audit {
  const rules = ruleIds.map((rule): RuleOutcome => {
    const { verdicts, note } = findings[rule];
    const named = { rule, title: ruleTitles[rule], ...(note === undefined ? {} : { note }) };
    if (verdicts === undefined) return { ...named, outcome: 'not-applicable', verdicts: [] };
    const blocked = verdicts.some(({ level }) => level === 'block');
    return {
      ...named,
      outcome: blocked ? 'block' : verdicts.length > 0 ? 'warn' : 'pass',
      verdicts,
    };
  });
  const has = (outcome: RuleOutcome['outcome']) => rules.some((rule) => rule.outcome === outcome);
  return {
    schema: 'suffice/audit@1',
    profile,
    outcome: has('block') ? 'refuse' : has('warn') ? 'acknowledge' : 'pass',
    rules,
  };
}

/** A rule that does not apply, and why. */
export function notApplicable(note: string): Finding {
  return { verdicts: undefined, note };
}

/** One verdict on all the columns it names; none where there are none. */
export function onColumns(verdict: Verdict): Verdict[] {
  return verdict.columns.length === 0 ? [] : [verdict];
}

/** Rounding allowed before a number counts as past its line. */
export const SLACK = 1e-9;

const MOST_VERDICTS = 12;

/** The first verdicts on many pairs of columns, and one for all the rest. */
export function shortened(verdicts: readonly Verdict[]): Verdict[] {
  if (verdicts.length <= MOST_VERDICTS) return [...verdicts];
  const shown = verdicts.slice(0, MOST_VERDICTS - 1);
  const rest = verdicts.slice(MOST_VERDICTS - 1);
  const columns = [...new Set(rest.flatMap((verdict) => verdict.columns))];
  return [
    ...shown,
    {
      ...rest[0],
      columns,
      names: [],
      problem: `and ${rest.length} more pairs of columns like these`,
    },
  ];
}
