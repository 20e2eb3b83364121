import { isQuicklyChecked } from './across/quick-check.ts';
import { sanity } from './across/sanity.ts';
import { type Inquiry, inquire } from './analysis/inquiry.ts';
import type { Answered } from './analysis/question.ts';
import { type Agreement, report } from './federate.ts';
import type { Report, SiteLine } from './model/report.ts';
import type { Unsolved } from './solve/solution.ts';
import type { SitePart } from './statistic/site-part.ts';
import type { Statistic } from './statistic/statistic.ts';

/** What sites have sent: the total, and each site's share where that may be looked at. */
export interface Sent {
  readonly total: Statistic;
  readonly parts?: readonly SitePart[];
}

/** A report, and the answers to what else was asked. */
export interface Findings {
  readonly report: Report;
  readonly answers: readonly Answered[];
}

/** What a study has collected, as its report and the answers to an inquiry; or why there are none. */
export function findings(
  agreed: Agreement,
  { total, parts }: Sent,
  sites: readonly SiteLine[],
  inquiry: Inquiry = { questions: [] },
): Findings | Unsolved {
  const { study, design } = agreed;
  const sources = { study, design, total, ...(parts === undefined ? {} : { parts }) };
  const found = inquire(sources, inquiry);
  if ('problem' in found) return found;
  const { without = [] } = inquiry;
  const left = without.length === 0 ? '' : `, without ${without.join(', ')}`;
  const made = report(agreed, total, found.fit, sites, `${study.formula}${left}`);
  return { report: made, answers: found.answers };
}

/**
 * The same with what looks wrong about a site, for those who may know each site's sums; nothing is left out for it.
 */
export function withFlags(
  { study, layout }: Agreement,
  { total, parts }: Sent,
  made: Report,
): Report {
  if (parts === undefined || study.fusion.kind !== 'ridge') return made;
  if (!isQuicklyChecked(parts.length, layout.columns.length)) return made;
  const { flags } = sanity(total, parts);
  return flags.length === 0 ? made : { ...made, flags };
}
