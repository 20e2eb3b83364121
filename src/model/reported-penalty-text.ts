import { ruleText } from '../study/rule-text.ts';
import { significant } from '../text/number-text.ts';
import type { Report } from './report.ts';

/** The penalty, how it was chosen, and how much that choice matters. */
export function reportedPenaltyText({
  ridge,
  lasso,
  selection,
  alternative,
  terms,
  responses,
}: Report): string {
  const lines: string[] = [];
  const chosen = (rule: string) => (rule === 'given' ? 'given' : `chosen by ${ruleText(rule)}`);
  if (ridge !== undefined) {
    const { value, rule, edf, gcv, flat, minimum } = ridge;
    lines.push(
      `Ridge: ${significant(value)} (${chosen(rule)})` +
        (edf === undefined ? '' : `,  effective df: ${significant(edf)}`) +
        (gcv === undefined ? '' : `,  GCV: ${significant(gcv)}`),
    );
    if (flat !== undefined) {
      lines.push(
        `between ${significant(flat[0], 3)} and ${significant(flat[1], 3)} the score hardly changes` +
          (minimum === undefined || minimum === value
            ? ''
            : `; it is smallest at ${significant(minimum)}`),
      );
    }
  }
  if (alternative !== undefined) {
    const { kept, scores } = alternative;
    const all = scores.map(({ term, score }) => `${term} ${significant(score)}`);
    lines.push(`Kept ${kept}; scores: ${all.join(', ')}`);
  }
  if (lasso !== undefined) {
    const rows = (responses ?? [{ terms: terms ?? [] }]).flatMap((answer) => answer.terms);
    const slopes = rows.filter(({ term }) => term !== '(Intercept)').length;
    lines.push(
      `${lasso.mix === 1 ? 'Lasso' : `Elastic net of mix ${lasso.mix}`}: lambda ${significant(lasso.lambda)} (${chosen(lasso.rule)})` +
        (selection === undefined ? '' : ` among ${selection.length}`),
      `${lasso.nonzero} of ${slopes} slopes are not zero`,
    );
  }
  return lines.join('\n');
}
