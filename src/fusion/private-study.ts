import type { PrivacyTerms, Study } from '../study/study.ts';
import { DataError } from '../table/data-error.ts';

/** The terms of a private study; undefined where a study is not private. Refuses what noise cannot be calibrated for. */
export function privacyOf(study: Study): PrivacyTerms | undefined {
  const { privacy, fusion, weights, codebook } = study;
  if (privacy === undefined || privacy === null) return undefined;
  if (fusion.kind !== 'ridge') {
    throw refused(
      'a logistic or Poisson regression',
      'leave out privacy; or ask for I(response == …) as a linear model',
    );
  }
  if (weights !== undefined) throw refused('a study with weights', 'leave the weights out');
  if (typeof fusion.ridge !== 'number') {
    throw refused(
      'a ridge chosen from the data',
      'give the ridge as a number, 0 if unsure: how noise is dealt with needs nothing to be chosen',
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
  const { person } = privacy;
  if (person !== undefined && codebook[person]?.type !== 'id') {
    throw new DataError(
      'the column that says whose row it is must be of type "id"',
      { column: person },
      `add it to the codebook: "${person}": { "type": "id" }`,
    );
  }
  return privacy;
}

function refused(what: string, remedy: string): DataError {
  return new DataError(`differential privacy is not offered for ${what}`, {}, remedy);
}
