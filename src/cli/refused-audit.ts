import type { Audit, RuleId } from '../disclosure/rule.ts';
import { AuditRefusal } from '../site/audit-refusal.ts';
import type { Prepared } from '../site/prepare-contribution.ts';
import { visibleJson } from '../text/visible-text.ts';
import { CommandEnd, exitCode, type Io } from './io.ts';
import { isSilent, type ScreenFlags } from './screen.ts';

/** Runs a release. If the audit refuses it, prints the audit as JSON, or the rules that refuse it. */
export async function printingRefusal<T>(
  flags: ScreenFlags,
  release: () => Promise<T>,
  io: Io,
): Promise<T> {
  try {
    return await release();
  } catch (failure) {
    if (failure instanceof AuditRefusal) {
      const { audit, rules } = failure;
      if (isSilent(flags)) await printObjections(audit, rules, io);
      if (flags.json === true) {
        const refused = { schema: 'suffice/refused@1', outcome: 'refused', audit };
        io.stdout.write(`${visibleJson(JSON.stringify(refused, null, 2))}\n`);
      }
    }
    throw failure;
  }
}

/** Ends a dry run like a refusal, if the audit would refuse. */
export async function printRehearsal(
  { audit }: Pick<Prepared, 'audit'>,
  flags: ScreenFlags,
  io: Io,
): Promise<void> {
  if (audit?.outcome !== 'refuse') return;
  if (isSilent(flags)) {
    const blocking = audit.rules.flatMap(({ rule, outcome }) =>
      outcome === 'block' ? [rule] : [],
    );
    await printObjections(audit, blocking, io);
  }
  throw new CommandEnd(exitCode.refused);
}

async function printObjections(audit: Audit, rules: readonly RuleId[], io: Io): Promise<void> {
  const { objectionText } = await import('../site/audit-text.ts');
  io.stderr.write(objectionText(audit, rules));
}
