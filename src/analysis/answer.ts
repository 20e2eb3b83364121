import { coverage } from '../across/coverage.ts';
import { heterogeneity } from '../across/heterogeneity.ts';
import { influence } from '../across/influence.ts';
import { sanity } from '../across/sanity.ts';
import type { Failure } from '../failure.ts';
import type { SitePart } from '../statistic/site-part.ts';
import { anova } from './anova.ts';
import { collinearity } from './collinearity.ts';
import { comparison } from './comparison.ts';
import { components } from './components.ts';
import { contrast } from './contrast.ts';
import { covarianceAnswer } from './covariance.ts';
import { describeColumns } from './description.ts';
import { discriminant } from './discriminant.ts';
import type { Evidence } from './evidence.ts';
import { partialCorrelations } from './partial-correlations.ts';
import { pathAnswer } from './path.ts';
import { prediction } from './prediction.ts';
import type { Answer, Answered, Declined, Question } from './question.ts';
import { standardized } from './standardized.ts';
import { trend } from './trend.ts';

/** What Fisher information at one point still tells; the rest needs the sums of the columns. */
const ofGlm: readonly Question['about'][] = [
  'anova',
  'prediction',
  'covariance',
  'contrast',
  'trend',
  'heterogeneity',
  'influence',
];

/** Answers a question, once for each response it is about. */
export function answer(
  evidence: Omit<Evidence, 'response'>,
  question: Question,
): readonly Answered[] {
  const { about } = question;
  const names = evidence.fit.models.map(({ response }) => response);
  if (evidence.fit.glm !== undefined && !ofGlm.includes(about)) {
    return [
      {
        about,
        problem: `${about} needs sums of the columns, and the sites sent Fisher information`,
        advice:
          about === 'comparison'
            ? 'type III tests and contrasts answer it, by Wald'
            : 'a study of least squares over the same columns answers it',
      },
    ];
  }
  const asked =
    question.response === undefined ? names : names.filter((name) => name === question.response);
  if (asked.length === 0) {
    return [
      {
        about,
        problem: `the model has no response ${question.response}`,
        advice: `its responses are ${names.join(', ')}`,
      },
    ];
  }
  const once = isOfAllResponses(about) ? asked.slice(0, 1) : asked;
  return once.map((response) => {
    const found = answerFor({ ...evidence, response: names.indexOf(response) }, question);
    return {
      ...('problem' in found ? declined(about, found) : found),
      ...(names.length > 1 && !isOfAllResponses(about) ? { response } : {}),
    };
  });
}

function declined(about: Question['about'], { problem, remedy }: Failure): Declined {
  return { about, problem, advice: remedy };
}

/** Questions about the columns, whatever is explained by them. */
function isOfAllResponses(about: Question['about']): boolean {
  return ['description', 'collinearity', 'components', 'sanity', 'discriminant'].includes(about);
}

function answerFor(evidence: Evidence, question: Question): Answer | Failure {
  switch (question.about) {
    case 'anova':
      return anova(evidence);
    case 'description':
      return describeColumns(evidence);
    case 'standardized':
      return standardized(evidence);
    case 'partial-correlations':
      return partialCorrelations(evidence);
    case 'collinearity':
      return collinearity(evidence);
    case 'components':
      return components(evidence);
    case 'covariance':
      return covarianceAnswer(evidence);
    case 'discriminant':
      return discriminant(evidence);
    case 'path':
      return pathAnswer(evidence);
    case 'heterogeneity':
      return acrossSites(evidence, (parts) =>
        heterogeneity(evidence.total, parts, evidence.response),
      );
    case 'influence':
      return acrossSites(evidence, (parts) => influence(evidence.fit, evidence.response, parts));
    case 'coverage':
      return acrossSites(evidence, (parts) =>
        coverage(evidence.total, parts, evidence.response, evidence.fit.penalty),
      );
    case 'sanity':
      return acrossSites(evidence, (parts) => sanity(evidence.total, parts));
    case 'comparison':
      return comparison(evidence, question.without);
    case 'contrast':
      return contrast(evidence, question.of);
    case 'trend':
      return trend(evidence, question.term);
    case 'prediction':
      return prediction(evidence, question.at, question.level ?? 0.95);
  }
}

function acrossSites<T>(
  { parts }: Evidence,
  ask: (parts: readonly SitePart[]) => T | Failure,
): T | Failure {
  if (parts !== undefined) return ask(parts);
  return {
    problem: 'this study hides its sites: only their sum is known',
    remedy: 'questions across sites need plain aggregation',
  };
}
