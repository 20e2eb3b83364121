import { canonicalJson } from '../study/canonical-json.ts';
import { type Report, reportJson } from './report.ts';

/**
 * Whether a total that was solved again gave the published report, to the last bit. Reports of earlier versions do not say
 * how classes get probabilities.
 */
export function isSameReport(published: Report, again: Report): boolean {
  const { classes: _, ...older } = again;
  const isOlder = published.classes === undefined && again.classifier === undefined;
  return text(published) === text(isOlder ? older : again);
}

function text(report: Report): string {
  return canonicalJson(JSON.parse(reportJson(report)));
}
