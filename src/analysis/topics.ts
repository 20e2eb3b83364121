import { anovaTopic } from './anova.ts';
import { collinearityTopic } from './collinearity.ts';
import { comparisonTopic } from './comparison.ts';
import { componentsTopic } from './components.ts';
import { contrastTopic } from './contrast.ts';
import { covarianceTopic } from './covariance.ts';
import { descriptionTopic } from './description.ts';
import { discriminantTopic } from './discriminant.ts';
import { partialCorrelationsTopic } from './partial-correlations.ts';
import { pathTopic } from './path.ts';
import { predictionTopic } from './prediction.ts';
import { coverageTopic, heterogeneityTopic, influenceTopic, sanityTopic } from './sites-topics.ts';
import { standardizedTopic } from './standardized.ts';
import type { Asked, Topic } from './topic.ts';
import { trendTopic } from './trend.ts';

/** All topics, by name; `Question` and `Answer` derive from it. */
export interface Topics {
  readonly anova: typeof anovaTopic;
  readonly description: typeof descriptionTopic;
  readonly standardized: typeof standardizedTopic;
  readonly 'partial-correlations': typeof partialCorrelationsTopic;
  readonly collinearity: typeof collinearityTopic;
  readonly components: typeof componentsTopic;
  readonly covariance: typeof covarianceTopic;
  readonly discriminant: typeof discriminantTopic;
  readonly path: typeof pathTopic;
  readonly heterogeneity: typeof heterogeneityTopic;
  readonly influence: typeof influenceTopic;
  readonly coverage: typeof coverageTopic;
  readonly sanity: typeof sanityTopic;
  readonly comparison: typeof comparisonTopic;
  readonly contrast: typeof contrastTopic;
  readonly trend: typeof trendTopic;
  readonly prediction: typeof predictionTopic;
}

/** The registry, in the order in which the names are shown. */
export const topics: Topics = {
  anova: anovaTopic,
  description: descriptionTopic,
  standardized: standardizedTopic,
  'partial-correlations': partialCorrelationsTopic,
  collinearity: collinearityTopic,
  components: componentsTopic,
  covariance: covarianceTopic,
  discriminant: discriminantTopic,
  path: pathTopic,
  heterogeneity: heterogeneityTopic,
  influence: influenceTopic,
  coverage: coverageTopic,
  sanity: sanityTopic,
  comparison: comparisonTopic,
  contrast: contrastTopic,
  trend: trendTopic,
  prediction: predictionTopic,
};

/** The name of a topic. */
export type TopicName = keyof Topics;

/** Topics whose question has no fields besides its name. */
export type NamedTopic = {
  [Name in TopicName]: keyof QuestionOf<Topics[Name]> extends keyof Asked ? Name : never;
}[TopicName];

/** The answer of a topic. */
export type AnswerOf<T> = T extends Topic<infer A, infer _> ? A : never;

/** The question of a topic. */
export type QuestionOf<T> = T extends Topic<infer _, infer Q> ? Q : never;

/** The names of these topics. */
export const namedTopics: readonly NamedTopic[] = (Object.keys(topics) as TopicName[]).filter(
  isNamed,
);

function isNamed(name: TopicName): name is NamedTopic {
  return topics[name].carries === undefined;
}

/** Whether most models have no answer on the topic of this name. */
export function isRare(about: string): boolean {
  return Object.values(topics).some((topic: Topic) => topic.about === about && topic.rare === true);
}
