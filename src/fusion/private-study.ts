import { DataError } from '../data-error.ts';
import { featureMapOf } from '../features/feature-maps.ts';
import { parseFormula } from '../study/formula.ts';
import { expressionColumns } from '../study/formula-expression.ts';
import { expandFormula } from '../study/formula-terms.ts';
import type { PrivacyTerms, RidgeFusion, TableStudy } from '../study/study.ts';
import { notUnderNoise } from './fusion-entry.ts';

/** Refuses a private linear regression that noise cannot be calibrated for. */
export function refusePrivacy(study: TableStudy, fusion: RidgeFusion, privacy: PrivacyTerms): void {
  const { weights, codebook, features = [] } = study;
  if (weights !== undefined) throw refused('a study with weights', 'leave the weights out');
  if (typeof fusion.ridge !== 'number') {
    throw refused(
      'a ridge chosen from the data',
      'give the ridge as a number, 0 if unsure: how noise is dealt with needs nothing to be chosen',
    );
  }
  if (features.some((terms) => featureMapOf(terms).further !== undefined)) {
    throw refused(
      'a feature map that goes on with every contact',
      'leave the map out: each contact would need a budget of its own',
    );
  }
  if (fusion.lasso !== undefined) throw refused('a lasso', 'leave the lasso out');
  if (fusion.standardize === true) {
    throw refused(
      'standardizing by the data',
      'leave it out: columns are in their public units already',
    );
  }
  if (fusion.siteEffects !== undefined || fusion.errors === 'clustered') {
    throw refused(
      'what looks at the sites one by one',
      'leave out site effects and clustered errors',
    );
  }
  refuseUnits(study);
  if (privacy.protects === 'labels') refuseResponseTerms(study);
  const { person, rowsPerPerson = 1 } = privacy;
  if (rowsPerPerson > 1 && privacy.neighbours === 'replace-one') {
    throw refused(
      'persons with several rows under "replace-one", where the number of rows is public',
      'take "add-remove", or one row a person',
    );
  }
  if (person !== undefined && codebook[person]?.type !== 'id') {
    throw new DataError(
      'the column that says whose row it is must be of type "id"',
      { column: person },
      `add it to the codebook: "${person}": { "type": "id" }`,
    );
  }
}

/** Refuses an SD without a centre: it would clip most responses. */
function refuseUnits({ formula, codebook }: TableStudy): void {
  for (const response of parseFormula(formula).responses) {
    if (response.kind !== 'name') continue;
    const column = codebook[response.name];
    if (column?.type !== 'number' || column.sd === undefined || column.center !== undefined)
      continue;
    throw new DataError(
      'the codebook states the standard deviation of the response, but not its centre',
      { column: response.name },
      'state both in public, such as "center": 8, "sd": 3; or neither',
    );
  }
}

/** Refuses terms made from the response where only the response is protected: they would reveal it. */
function refuseResponseTerms({ formula: text, codebook }: TableStudy): void {
  const { responses, variables } = expandFormula(parseFormula(text), Object.keys(codebook));
  const hidden = new Set(responses.flatMap(({ expression }) => expressionColumns(expression)));
  const revealing = variables
    .flatMap(({ expression }) => expressionColumns(expression))
    .find((name) => hidden.has(name));
  if (revealing === undefined) return;
  throw new DataError(
    'with "protects": "labels" everything but the response is public, and a term is made of the response',
    { column: revealing },
    'leave the term out, or protect whole rows',
  );
}

function refused(what: string, remedy: string): DataError {
  return new DataError(notUnderNoise(what, remedy).problem, {}, remedy);
}
