import type { Audit, RuleOutcome, Verdict } from '../disclosure/rule.ts';
import { type Ink, plainInk } from '../model/text-table.ts';
import { printable } from '../protocol/printable.ts';
import { lines } from './story.ts';

/** An audit in plain words: a line a rule, and under it what the rule objects to and what to do. */
export function auditStory(audit: Audit, ink: Ink = plainInk): string {
  return lines(
    `${ink.bold('What the rules say')} ${ink.faint(`(${printable(audit.profile)})`)}`,
    ...audit.rules.flatMap((rule) => [ruleLine(rule, ink), ...rule.verdicts.flatMap(verdictLines)]),
    '',
    `  ${closing(audit)}`,
    '  Passing means that no cheap attack is known. It is no guarantee.',
  );
}

const words = { pass: 'pass', warn: 'warns', block: 'refuses', 'not-applicable': '–' } as const;

function ruleLine({ rule, title, outcome, note }: RuleOutcome, ink: Ink): string {
  const head = `  ${rule.padEnd(3)}  ${words[outcome].padEnd(7)}  `;
  const aside = note === undefined ? '' : ` (${note})`;
  if (outcome === 'pass') return `${head}${title}${ink.faint(aside)}`;
  if (outcome === 'not-applicable') return ink.faint(`${head}${title}${aside}`);
  return ink.bold(`${head}${title}`) + aside;
}

const INDENT = ' '.repeat(16);

const SHOWN_COLUMNS = 8;

/** What a rule objects to; the remedy once, behind the last of those that share it. */
function verdictLines({ columns, problem, remedy }: Verdict, k: number, all: readonly Verdict[]) {
  const shown = columns.slice(0, SHOWN_COLUMNS).map(printable).join(', ');
  const more = columns.length > SHOWN_COLUMNS ? ` and ${columns.length - SHOWN_COLUMNS} more` : '';
  const text = `${INDENT}${shown === '' ? '' : `${shown}${more}: `}${printable(problem)}`;
  return all[k + 1]?.remedy === remedy ? [text] : [text, `${INDENT}→ ${printable(remedy)}`];
}

function closing({ outcome, rules }: Audit): string {
  const named = (wanted: RuleOutcome['outcome']) =>
    rules.filter((rule) => rule.outcome === wanted).map(({ rule }) => rule);
  if (outcome === 'pass') return 'No rule objects.';
  if (outcome === 'refuse') return `Refused by ${named('block').join(', ')}: nothing may leave.`;
  const warnings = named('warn').join(',');
  return `Nothing leaves before the warnings are acknowledged: --acknowledge ${warnings}`;
}
