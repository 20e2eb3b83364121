import { significant } from '../model/number-text.ts';
import type { Ink } from '../model/text-table.ts';
import { layOutBlocks } from '../model/wide-table-text.ts';
import type { CoefficientCovariance } from './covariance.ts';

const WIDEST = 12;

const assumptions: Readonly<Record<string, string>> = {
  classical: '',
  clustered: ' (clustered by site)',
  'ignoring-bias': ' (ignores the bias of the penalty)',
};

/** The matrix as R's vcov() prints it, where it fits a page. */
export function covarianceText({ terms, matrix, errors }: CoefficientCovariance, ink: Ink): string {
  const title = ink.bold(`Covariance of the coefficients${assumptions[errors] ?? ''}`);
  if (terms.length > WIDEST) {
    return [title, ink.faint(`${terms.length} by ${terms.length} numbers: see --json`)].join('\n');
  }
  const columns = terms.map((term, j) => [term, ...matrix.map((row) => significant(row[j], 4))]);
  return [title, ...layOutBlocks([['', ...terms], ...columns], ink)].join('\n');
}
