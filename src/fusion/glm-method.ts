import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { mappedNames } from '../features/mapped-columns.ts';
import { studyDesign } from '../features/study-design.ts';
import type { Report } from '../model/report.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { resolutionSchema } from '../study/resolution-schema.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { GlmFusion, ResolutionName, TableStudy } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';
import { refuseAlternatives } from './choose-alternative.ts';
import { type FusionEntry, notUnderNoise, tableColumns, tableFusion } from './fusion-entry.ts';
import { resolveGlm } from './glm.ts';
import { glmLayout } from './glm-layout.ts';
import { referenceCoefficients } from './glm-rows.ts';
import { glmSummarizer } from './glm-summary.ts';
import { largestWeight } from './largest-weight.ts';
import { refuseLayers } from './layer-rounds.ts';
import { linearSums } from './linear-sums.ts';
import type { Method, Questions, StartingPoint } from './method.ts';
import { refine } from './next-round.ts';
import { resolvedFit } from './ridge-from-sums.ts';
import { whoSeesSums } from './sums-text.ts';

const questions: Questions = {
  basis: 'information',
  noOtherMethod: {
    problem: 'another method cannot be applied: the sites sent Fisher information, not sums',
    remedy: 'ask without a method, or create a study with the ridge fusion',
  },
};

/** Logistic and Poisson regression: each site's Fisher information at its own optimum, or at given coefficients. */
export const glmEntry: FusionEntry<GlmFusion> = tableFusion({
  method(study, fusion): Method {
    const { arithmetic, grid = 44, weights } = study;
    const design = studyDesign(study, 'indicator');
    refuseAlternatives(design, 'a logistic or Poisson regression');
    refuseLayers(study);
    refuseTerms(fusion);
    const prior = largestWeight(study);
    const sizes = { arithmetic, grid, ...defined({ largestWeight: prior }) };
    const layout = glmLayout(design, fusion, sizes);
    refuseUnknown(fusion, layout);
    if (fusion.at !== undefined) referenceCoefficients(layout, fusion.at);
    if (fusion.at === undefined && fusion.from !== undefined) throw nothingFrom();
    const text = glmText(fusion);
    return {
      layout,
      rowsLayout: layout,
      columns: tableColumns(study, design, weights),
      regression: { study, design, layout },
      additive: 'sites',
      wholeFile: true,
      needsSites: fusion.errors === 'clustered',
      questions,
      text: {
        method: text,
        learnt: fusion.at === undefined ? text : `${nameOf(fusion)}, by Newton’s method`,
        whoSees: whoSeesSums(' and its number of rows', study),
        leaves: informationText(layout),
        says: () => [],
      },
      sections: ['agreement', 'columns'],
      rounds: {
        next: (report, from) => nextRound(study, report, from),
        text:
          fusion.at === undefined
            ? 'Fisher information at each site’s own optimum'
            : 'one Newton step from these coefficients, exactly additive',
      },
      ...(fusion.at === undefined ? {} : { start: startOf(fusion.at, fusion.from) }),
      summarize: (options) =>
        glmSummarizer(design, layout, fusion, { ...options, ...defined({ weights }) }),
      release: (sums) => sums,
      resolve(collected) {
        const mapped = mappedNames(design);
        const fit = resolveGlm({ ...linearSums(collected), mapped }, fusion);
        return 'problem' in fit ? fit : resolvedFit(fit);
      },
    };
  },
  schema: glmSchema,
  questions,
  underNoise: notUnderNoise(
    'a logistic or Poisson regression',
    'leave out privacy; or ask for I(response == …) as a linear model',
  ),
});

/** Refuses choices that exclude each other. */
function refuseTerms({ ridge = 0, errors }: GlmFusion): void {
  if (ridge === 0 || errors === undefined || errors === 'classical') return;
  throw new DataError(
    'a penalty and robust errors do not go together: the errors would ignore its bias',
    {},
    'leave out the ridge, or the errors',
  );
}

/** Refuses to hold coefficients at 0 that the model does not have. */
function refuseUnknown({ without = [] }: GlmFusion, { columns }: LinearLayout): void {
  const terms = columns.slice(1, -1);
  const unknown = without.find((name) => !terms.includes(name));
  if (unknown === undefined) return;
  throw new DataError(
    `the model has no column ${unknown} to leave out`,
    {},
    `its columns are ${terms.join(', ')}`,
  );
}

function nothingFrom(): DataError {
  return new DataError(
    'the fusion names a resolution ("from") and no coefficients from it ("at")',
    {},
    'give both, or neither',
  );
}

function familyName({ family }: GlmFusion): string {
  return family === 'binomial' ? 'logistic' : 'Poisson';
}

/** "logistic regression with a ridge of 2". */
function nameOf(fusion: GlmFusion): string {
  const { ridge = 0, errors = 'classical', without = [] } = fusion;
  return [
    `${familyName(fusion)} regression`,
    ...(ridge > 0 ? [`with a ridge of ${ridge}`] : []),
    ...(errors === 'classical' ? [] : [`with ${errors} errors`]),
    ...(without.length === 0 ? [] : [`without ${without.join(', ')}`]),
  ].join(' ');
}

function glmText(fusion: GlmFusion): string {
  const name = nameOf(fusion);
  return fusion.at === undefined
    ? `${name} in one round, from each site’s own fit (close to pooling, not exact)`
    : `${name}, one Newton step from the coefficients of an earlier round`;
}

/** What the sent numbers are. */
function informationText(layout: LinearLayout): string[] {
  const { columns, remainder, priorWeights, scores } = layout;
  const width = columns.length - 1;
  return [
    `the Fisher information of your own regression, ${width} × ${width}, its coefficients,`,
    'its log-likelihood, the number of rows and the sum of the response. No row, no cell, no file name.',
    ...(remainder === undefined ? [] : ['Also the log-likelihood of a perfect fit.']),
    ...(priorWeights === true ? ['Also the sum of the weights.'] : []),
    ...(scores === true
      ? [`Also the squares of the rows’ scores, added up: ${width} × ${width} more sums.`]
      : []),
    ...(remainder === 'expected'
      ? [
          'For each coefficient also the bias that is expected of it, and whether your rows alone keep it finite.',
        ]
      : []),
  ];
}

function nextRound(study: TableStudy, { terms = [] }: Report, from?: ResolutionName): TableStudy {
  const estimates = terms.map(({ term, estimate }) => [term, estimate]);
  return refine(study, Object.fromEntries(estimates), from);
}

function startOf(at: NonNullable<GlmFusion['at']>, from: GlmFusion['from']): StartingPoint {
  const numbers = Object.entries(at).map(([term, value]) => `${term} ${value}`);
  return {
    at,
    ...defined({ from }),
    ...{ decides: 'weights', noun: 'coefficients', text: numbers.join(', ') },
  };
}

function shape(z: Zod) {
  return z.strictObject({
    kind: z.enum(['glm', 'fisher']),
    family: z.enum(['binomial', 'poisson']),
    prior: z.union([z.literal('firth'), z.number().positive()]).optional(),
    remainder: z.literal('expected').optional(),
    ridge: z.number().nonnegative().optional(),
    errors: z.enum(['classical', 'clustered', 'HC0', 'HC1']).optional(),
    without: z.array(z.string()).optional(),
    at: z.record(z.string(), z.number()).optional(),
    from: resolutionSchema(z).optional(),
  });
}
assertSameJson<zod.infer<ReturnType<typeof shape>>, GlmFusion>('same');

/** The JSON of a logistic or Poisson regression. */
export function glmSchema(z: Zod): zod.ZodObject {
  return shape(z);
}
