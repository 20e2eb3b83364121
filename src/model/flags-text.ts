import type { SiteFlag } from './report.ts';
import type { Ink } from './text-table.ts';

/** Each doubt about a site with its evidence and what to ask. */
export function flagsText(flags: readonly SiteFlag[], ink: Ink): string {
  return flags
    .map(
      ({ site, kind, evidence, advice }) =>
        `${ink.bold(site)} (${kind}): ${evidence}\n  ${ink.faint(advice)}`,
    )
    .join('\n');
}
