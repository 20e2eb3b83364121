import type { RuleId } from '../disclosure/rule.ts';
import type { Attacked } from '../node/run/attack.ts';

/** The rules that guard against an attack, and what they require. */
interface Defence {
  readonly rules: readonly RuleId[];
  readonly wanted: string;
}

export const defences: Readonly<Record<'rows' | 'cells' | 'member', Defence>> = {
  rows: {
    rules: ['R0', 'R1', 'R2', 'R8'],
    wanted: 'many more rows than columns, and no small table of whole numbers',
  },
  cells: {
    rules: ['R3', 'R4', 'R5'],
    wanted: 'every level and every cell holds no row or several',
  },
  member: {
    rules: ['R1', 'R2', 'R6'],
    wanted: 'few columns for the rows, and no row that stands out',
  },
};

/** Whether the rules stop an attack on this file; empty when the attack found nothing. */
export function stopText(
  { audit }: Pick<Attacked, 'audit'>,
  { rules, wanted }: Defence,
  found: number,
): string {
  const having = (outcome: 'block' | 'warn') =>
    audit.rules.filter((rule) => rule.outcome === outcome && rules.includes(rule.rule));
  const blocking = having('block').map(({ rule }) => rule);
  if (blocking.length > 0) {
    return `${blocking.length === 1 ? `Rule ${blocking[0]} stops` : `Rules ${blocking.join(', ')} stop`} this here: ${wanted}.`;
  }
  if (found === 0) return '';
  const warning = having('warn').map(({ rule }) => rule);
  return `No rule stops this here${warning.length === 0 ? '' : `; ${warning.join(', ')} only ${warning.length === 1 ? 'asks' : 'ask'} somebody to acknowledge it`}.`;
}
