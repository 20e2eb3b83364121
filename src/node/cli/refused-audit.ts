import type { Audit, RuleId } from '../../disclosure/rule.ts';
import { AuditRefusal } from '../../site/audit-refusal.ts';
import type { Prepared } from '../../site/prepare-contribution.ts';
import { exitCode } from './failure.ts';
import { isSilent, type OnlookerFlags } from './onlooker.ts';

/** Does what an audit may stop; where it does, programs get the audit, and people the rules that stop it. */
export async function tellingRefusal<T>(
  flags: OnlookerFlags,
  release: () => Promise<T>,
): Promise<T> {
  try {
    return await release();
  } catch (failure) {
    if (failure instanceof AuditRefusal) {
      const { audit, rules } = failure;
      if (isSilent(flags)) await tellObjections(audit, rules);
      if (flags.json === true) {
        const refused = { schema: 'suffice/refused@1', outcome: 'refused', audit };
        process.stdout.write(`${JSON.stringify(refused, null, 2)}\n`);
      }
    }
    throw failure;
  }
}

/** Ends a rehearsal of what the audit would refuse as the act itself would end. */
export async function tellRehearsed(
  { audit }: Pick<Prepared, 'audit'>,
  flags: OnlookerFlags,
): Promise<void> {
  if (audit?.outcome !== 'refuse') return;
  process.exitCode = exitCode.refused;
  if (!isSilent(flags)) return;
  await tellObjections(
    audit,
    audit.rules.flatMap(({ rule, outcome }) => (outcome === 'block' ? [rule] : [])),
  );
}

async function tellObjections(audit: Audit, rules: readonly RuleId[]): Promise<void> {
  const { objectionStory } = await import('../../site/audit-story.ts');
  process.stderr.write(objectionStory(audit, rules));
}
