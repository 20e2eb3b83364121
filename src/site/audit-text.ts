import {
  type Audit,
  outcomeText,
  type RuleId,
  type RuleOutcome,
  type Verdict,
} from '../disclosure/rule.ts';
import { type Ink, plainInk } from '../text/text-table.ts';
import { visibleText } from '../text/visible-text.ts';
import { lines, TEXT_WIDTH, wrapped } from './wrapped.ts';

/** An audit as text: one line for each rule; under it the objections and what to do. */
export function auditText(
  audit: Audit,
  ink: Ink = plainInk,
  acknowledged: readonly string[] = [],
): string {
  const entries = folded(audit.rules);
  const width = Math.max(...entries.map(({ label }) => label.length));
  return lines(
    `${ink.bold('What the rules say')} ${ink.faint(`(${visibleText(audit.profile)})`)}`,
    ...entries.flatMap((entry) => entryLines(entry, width, ink)),
    '',
    ...wrapped('  ', closing(audit, acknowledged)),
    '  Passing means that no cheap attack is known. It is no guarantee.',
  );
}

/** The objections of some of the rules. */
export function objectionText({ rules }: Audit, of: readonly RuleId[]): string {
  const entries = folded(rules.filter(({ rule }) => of.includes(rule)));
  const width = Math.max(0, ...entries.map(({ label }) => label.length));
  return entries
    .flatMap((entry) => entryLines(entry, width, plainInk))
    .map((line) => `${line}\n`)
    .join('');
}

/** A rule, or several that do not apply for the same reason. */
interface Entry extends Pick<RuleOutcome, 'outcome' | 'verdicts' | 'note'> {
  readonly label: string;
  readonly text?: string;
}

function folded(rules: readonly RuleOutcome[]): Entry[] {
  const runs: RuleOutcome[][] = [];
  for (const rule of rules) {
    const last = runs.at(-1);
    if (last !== undefined && isAlike(last[0], rule)) last.push(rule);
    else runs.push([rule]);
  }
  return runs.map(([first, ...others]) => {
    const { rule, title: _, ...rest } = first;
    const last = others.at(-1);
    return last === undefined
      ? { ...rest, label: rule, text: outcomeText(first) }
      : { ...rest, label: `${rule}–${last.rule}` };
  });
}

function isAlike(a: RuleOutcome, b: RuleOutcome): boolean {
  return a.outcome === 'not-applicable' && b.outcome === a.outcome && a.note === b.note;
}

const outcomes = {
  pass: 'pass',
  warn: 'warns:',
  block: 'refuses:',
  'not-applicable': '–',
  'not-judged': 'not judged:',
} as const;

function entryLines({ label, text, outcome, note, verdicts }: Entry, width: number, ink: Ink) {
  const head = `  ${label.padEnd(width)}  ${outcomes[outcome].padEnd(outcomes.block.length)}  `;
  const indent = ' '.repeat(head.length);
  const { bold, faint } = ink;
  const style = {
    pass: plainInk.bold,
    warn: bold,
    block: bold,
    'not-applicable': faint,
    'not-judged': bold,
  }[outcome];
  if (text === undefined) return wrapped(head, note ?? '').map(style);
  const aside = note === undefined ? '' : ` (${note})`;
  const fits = head.length + text.length + aside.length <= TEXT_WIDTH;
  return [
    style(head + text) + (fits ? ink.faint(aside) : ''),
    ...(fits ? [] : wrapped(indent, aside.trim()).map(ink.faint)),
    ...verdicts.flatMap((verdict, k) => verdictLines(verdict, verdicts[k + 1], indent)),
  ];
}

const SHOWN_NAMES = 8;

/** One objection of a rule; a remedy that several share comes once, after the last of them. */
function verdictLines(verdict: Verdict, next: Verdict | undefined, indent: string): string[] {
  const { columns, names = columns, problem, remedy } = verdict;
  const shown = names
    .slice(0, SHOWN_NAMES)
    .map((text) => visibleText(text))
    .join(', ');
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '';
  const subject = shown === '' ? '' : `${shown}${more}: `;
  return [
    ...wrapped(indent, `${subject}${visibleText(problem)}`),
    ...(next?.remedy === remedy ? [] : wrapped(`${indent}→ `, visibleText(remedy))),
  ];
}

function closing({ outcome, rules }: Audit, acknowledged: readonly string[]): string {
  const named = (wanted: RuleOutcome['outcome']) =>
    rules.filter((rule) => rule.outcome === wanted).map(({ rule }) => rule);
  if (outcome === 'pass') return 'No rule objects.';
  if (outcome === 'refuse') return `Refused by ${named('block').join(', ')}: nothing may be sent.`;
  const all = [...named('warn'), ...named('not-judged')];
  const warnings = all.filter((rule) => !acknowledged.includes(rule)).join(',');
  if (warnings === '') return `You have acknowledged the warnings of ${all.join(', ')}.`;
  return `Nothing is sent before you acknowledge the warnings: --acknowledge ${warnings}`;
}
