import type { Audit, RuleId, RuleOutcome, Verdict } from '../disclosure/rule.ts';
import { type Ink, plainInk } from '../model/text-table.ts';
import { printable } from '../protocol/printable.ts';
import { lines } from './story.ts';
import { STORY_WIDTH, wrapped } from './wrapped.ts';

/** An audit in plain words: a line a rule, and under it what the rule objects to and what to do. */
export function auditStory(audit: Audit, ink: Ink = plainInk): string {
  const entries = folded(audit.rules);
  const width = Math.max(...entries.map(({ label }) => label.length));
  return lines(
    `${ink.bold('What the rules say')} ${ink.faint(`(${printable(audit.profile)})`)}`,
    ...entries.flatMap((entry) => entryLines(entry, width, ink)),
    '',
    ...wrapped('  ', closing(audit)),
    '  Passing means that no cheap attack is known. It is no guarantee.',
  );
}

/** What some of the rules object to, and nothing else. */
export function objectionStory({ rules }: Audit, of: readonly RuleId[]): string {
  const entries = folded(rules.filter(({ rule }) => of.includes(rule)));
  const width = Math.max(0, ...entries.map(({ label }) => label.length));
  return entries
    .flatMap((entry) => entryLines(entry, width, plainInk))
    .map((line) => `${line}\n`)
    .join('');
}

/** A rule, or several that do not apply for one and the same reason. */
interface Entry extends Pick<RuleOutcome, 'outcome' | 'verdicts' | 'note'> {
  readonly label: string;
  readonly title?: string;
}

function folded(rules: readonly RuleOutcome[]): Entry[] {
  const runs: RuleOutcome[][] = [];
  for (const rule of rules) {
    const last = runs.at(-1);
    if (last !== undefined && isAlike(last[0], rule)) last.push(rule);
    else runs.push([rule]);
  }
  return runs.map(([first, ...others]) => {
    const { rule, title, ...rest } = first;
    const last = others.at(-1);
    return last === undefined
      ? { ...rest, label: rule, title }
      : { ...rest, label: `${rule}–${last.rule}` };
  });
}

function isAlike(a: RuleOutcome, b: RuleOutcome): boolean {
  return a.outcome === 'not-applicable' && b.outcome === a.outcome && a.note === b.note;
}

const words = { pass: 'pass', warn: 'warns', block: 'refuses', 'not-applicable': '–' } as const;

function entryLines({ label, title, outcome, note, verdicts }: Entry, width: number, ink: Ink) {
  const head = `  ${label.padEnd(width)}  ${words[outcome].padEnd('refuses'.length)}  `;
  const indent = ' '.repeat(head.length);
  const { bold, faint } = ink;
  const style = { pass: plainInk.bold, warn: bold, block: bold, 'not-applicable': faint }[outcome];
  if (title === undefined) return wrapped(head, note ?? '').map(style);
  const aside = note === undefined ? '' : ` (${note})`;
  const fits = head.length + title.length + aside.length <= STORY_WIDTH;
  return [
    style(head + title) + (fits ? ink.faint(aside) : ''),
    ...(fits ? [] : wrapped(indent, aside.trim()).map(ink.faint)),
    ...verdicts.flatMap((verdict, k) => verdictLines(verdict, verdicts[k + 1], indent)),
  ];
}

const SHOWN_NAMES = 8;

/** What a rule objects to; the remedy once, behind the last of those that share it. */
function verdictLines(verdict: Verdict, next: Verdict | undefined, indent: string): string[] {
  const { columns, names = columns, problem, remedy } = verdict;
  const shown = names.slice(0, SHOWN_NAMES).map(printable).join(', ');
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '';
  const subject = shown === '' ? '' : `${shown}${more}: `;
  return [
    ...wrapped(indent, `${subject}${printable(problem)}`),
    ...(next?.remedy === remedy ? [] : wrapped(`${indent}→ `, printable(remedy))),
  ];
}

function closing({ outcome, rules }: Audit): string {
  const named = (wanted: RuleOutcome['outcome']) =>
    rules.filter((rule) => rule.outcome === wanted).map(({ rule }) => rule);
  if (outcome === 'pass') return 'No rule objects.';
  if (outcome === 'refuse') return `Refused by ${named('block').join(', ')}: nothing may leave.`;
  const warnings = named('warn').join(',');
  return `Nothing leaves before the warnings are acknowledged: --acknowledge ${warnings}`;
}
