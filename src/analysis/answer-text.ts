import { coverageText } from '../across/coverage-text.ts';
import { heterogeneityText } from '../across/heterogeneity-text.ts';
import { influenceText } from '../across/influence-text.ts';
import { sanityText } from '../across/sanity.ts';
import { type Ink, plainInk } from '../model/text-table.ts';
import { anovaText } from './anova.ts';
import { collinearityText } from './collinearity.ts';
import { comparisonText } from './comparison.ts';
import { componentsText } from './components.ts';
import { contrastText } from './contrast.ts';
import { covarianceText } from './covariance.ts';
import { descriptionText } from './description.ts';
import { discriminantText } from './discriminant-text.ts';
import { partialCorrelationsText } from './partial-correlations.ts';
import { pathText } from './path-text.ts';
import { predictionText } from './prediction.ts';
import type { Answer, Answered } from './question.ts';
import { standardizedText } from './standardized.ts';
import { trendText } from './trend.ts';
import { unansweredText } from './unanswered-text.ts';

/** Answers in the order they were asked for, and at the end what there is no answer to. */
export function answersText(answers: readonly Answered[], ink: Ink = plainInk): string[] {
  const declined = answers.flatMap((answer) => ('problem' in answer ? [answer] : []));
  return [
    ...answers.flatMap((answer) => ('problem' in answer ? [] : [answerText(answer, ink)])),
    ...(declined.length === 0 ? [] : [unansweredText(declined, ink)]),
  ];
}

/** An answer as a statistician would lay it out; of several responses, under the name of its own. */
export function answerText(answer: Answered, ink: Ink = plainInk): string {
  if ('problem' in answer) return unansweredText([answer], ink);
  const heading = answer.response === undefined ? [] : [ink.bold(`Response ${answer.response}`)];
  return [...heading, textOf(answer, ink)].join('\n');
}

function textOf(answer: Answer, ink: Ink): string {
  switch (answer.about) {
    case 'anova':
      return anovaText(answer, ink);
    case 'description':
      return descriptionText(answer, ink);
    case 'standardized':
      return standardizedText(answer, ink);
    case 'partial-correlations':
      return partialCorrelationsText(answer, ink);
    case 'collinearity':
      return collinearityText(answer, ink);
    case 'components':
      return componentsText(answer, ink);
    case 'covariance':
      return covarianceText(answer, ink);
    case 'discriminant':
      return discriminantText(answer, ink);
    case 'path':
      return pathText(answer, ink);
    case 'heterogeneity':
      return heterogeneityText(answer, ink);
    case 'influence':
      return influenceText(answer, ink);
    case 'coverage':
      return coverageText(answer, ink);
    case 'sanity':
      return sanityText(answer, ink);
    case 'comparison':
      return comparisonText(answer, ink);
    case 'contrast':
      return contrastText(answer, ink);
    case 'trend':
      return trendText(answer, ink);
    case 'prediction':
      return predictionText(answer, ink);
  }
}
