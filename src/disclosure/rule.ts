import { defined } from '../defined.ts';

/** What each rule asks for. These are also values of "title" in `suffice/audit@1`. */
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

/** The names of the disclosure rules. */
export type RuleId = keyof typeof ruleTitles;

export const ruleIds: readonly RuleId[] = Object.keys(ruleTitles) as RuleId[];

/** What a rule has found where it warns or refuses, to stand after "R6 warns: ". */
const ruleObjections: Readonly<Record<RuleId, string>> = {
  R0: 'there are too few rows',
  R1: 'there are too many columns for the rows',
  R2: 'too few rows are left beyond the rank, or a column follows from others',
  R3: 'a level has few rows',
  R4: 'a combination of two levels has few rows',
  R5: 'a sum is over few rows, or one or two rows make up most of it',
  R6: 'one row stands out',
  R7: 'nearly all rows have the same level',
  R8: 'the table of whole numbers is small enough to work out',
  R9: 'a release may differ from another by a few rows',
  R10: 'all releases together have too many columns, or a column numbers the records',
  R11: 'the privacy budget or an earlier promise may be broken',
};

/** A rule's line on a screen: what it asks for where it passes, and what it has found where it does not. */
export function outcomeText({ rule, title, outcome }: Omit<RuleOutcome, 'verdicts'>): string {
  return outcome === 'warn' || outcome === 'block' ? ruleObjections[rule] : title;
}

/** One objection of a rule. It never shows a value of a row, nor a count below a threshold. */
export interface Verdict {
  readonly rule: RuleId;
  /** `block` refuses; `warn` must be acknowledged. */
  readonly level: 'block' | 'warn';
  readonly columns: readonly string[];
  /** What to call the columns, where their own names would not be clear: "level placebo of treatment". */
  readonly names?: readonly string[];
  readonly problem: string;
  readonly remedy: string;
}

/** What a rule found. Without verdicts the rule does not apply, and the note says why. */
export interface Finding {
  readonly verdicts: readonly Verdict[] | undefined;
  readonly note?: string;
  /** Why the rule could not look at everything: without objections it is then not passed but not judged. */
  readonly unjudged?: string;
}

export interface RuleOutcome {
  readonly rule: RuleId;
  readonly title: string;
  readonly outcome: 'pass' | 'warn' | 'block' | 'not-applicable' | 'not-judged';
  readonly verdicts: readonly Verdict[];
  readonly note?: string;
}

/** The outcome of all rules for one release. */
export interface Audit {
  readonly schema: 'suffice/audit@1';
  readonly profile: string;
  readonly outcome: 'pass' | 'acknowledge' | 'refuse';
  readonly rules: readonly RuleOutcome[];
}

/** The audit from the finding of each rule. */
export function auditOf(profile: string, found: Readonly<Record<RuleId, Finding>>): Audit {
  const rules = ruleIds.map((rule): RuleOutcome => {
    const { verdicts, unjudged, note = unjudged } = found[rule];
    const named = { rule, title: ruleTitles[rule], ...defined({ note }) };
    if (verdicts === undefined) return { ...named, outcome: 'not-applicable', verdicts: [] };
    const judged = strictest(verdicts);
    const outcome = judged === 'pass' && unjudged !== undefined ? 'not-judged' : judged;
    return { ...named, outcome, verdicts };
  });
  const strict = strictest(rules.flatMap(({ verdicts }) => verdicts));
  const open = strict === 'pass' && rules.some((rule) => rule.outcome === 'not-judged');
  const outcome = open
    ? 'acknowledge'
    : ({ block: 'refuse', warn: 'acknowledge', pass: 'pass' } as const)[strict];
  return { schema: 'suffice/audit@1', profile, outcome, rules };
}

function strictest(verdicts: readonly Verdict[]): 'block' | 'warn' | 'pass' {
  if (verdicts.some(({ level }) => level === 'block')) return 'block';
  return verdicts.length > 0 ? 'warn' : 'pass';
}

/** A rule that does not apply, and why. */
export function notApplicable(note: string): Finding {
  return { verdicts: undefined, note };
}

/** The verdict, unless it names no column. */
export function onColumns(verdict: Verdict): Verdict[] {
  return verdict.columns.length === 0 ? [] : [verdict];
}

/** Rounding error allowed before a number counts as past its threshold. */
export const SLACK = 1e-9;

const MOST_VERDICTS = 12;

/** The first verdicts of a long list about pairs of columns, and one for the rest. */
export function shortenedList(verdicts: readonly Verdict[]): Verdict[] {
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

/** A share as text: 0.33 is 33 %. */
export function percent(share: number): string {
  return `${Number((100 * share).toFixed(2))} %`;
}
