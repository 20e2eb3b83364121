import { type Command, Option } from 'commander';
import { defined } from '../defined.ts';
import type { SiteRules } from '../disclosure/site-rules.ts';
import { UsageError } from '../usage-error.ts';
import { repeatedFlag } from './flags.ts';

/** Flags of a site about the audit of its contribution. */
export interface DisclosureFlags {
  readonly profile?: 'default' | 'datashield' | 'agency';
  readonly forbidComparisons?: boolean;
  readonly acknowledge: readonly string[];
}

export function withDisclosure(command: Command): Command {
  return withAcknowledgement(withProfile(command));
}

export function withAcknowledgement(command: Command): Command {
  return command.option(
    '--acknowledge <rules>',
    'go on although the audit warns: R5 or R5,R7; none where the study has no rules (repeatable)',
    repeatedFlag,
    [],
  );
}

export function withProfile(command: Command): Command {
  return withProfileName(command).option(
    '--forbid-comparisons',
    'refuse formulas that compare columns with values: I(age > 65)',
  );
}

export function withProfileName(command: Command): Command {
  return command.addOption(
    new Option(
      '--profile <name>',
      'disclosure rules of your own; the strictest of these, the study’s and rules.json of the site’s folder hold',
    ).choices(['default', 'datashield', 'agency']),
  );
}

/** The rules of this call, if flags give any. */
export function ownRules({
  profile,
  forbidComparisons,
}: Pick<DisclosureFlags, 'profile' | 'forbidComparisons'>): { readonly disclosure?: SiteRules } {
  if (profile === undefined && forbidComparisons !== true) return {};
  const comparisons = forbidComparisons === true ? 'forbid' : undefined;
  // Without a profile, the limits are those of the study's.
  return { disclosure: defined({ profile, comparisons }) };
}

/** The site's choices about the audit. */
export function disclosureChoices({ acknowledge, ...own }: DisclosureFlags): {
  readonly disclosure?: SiteRules;
  readonly acknowledged: readonly string[];
} {
  const acknowledged = acknowledge
    .flatMap((text) => text.split(','))
    .map((rule) => rule.trim().toUpperCase())
    .map((rule) => (rule === 'NONE' ? 'none' : rule));
  const stranger = acknowledged.find((rule) => !/^(R(\d|1[01])|none)$/.test(rule));
  if (stranger !== undefined) {
    throw new UsageError(
      `--acknowledge names no rule of the audit: ${stranger}`,
      'the audit names the rules it warns of: --acknowledge R5,R7',
    );
  }
  return { acknowledged, ...ownRules(own) };
}
