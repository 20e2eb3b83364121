import type { Failure } from '../failure.ts';
import { createDesign } from '../features/design.ts';
import { glance } from '../model/inference.ts';
import type { LinearModel } from '../model/linear-model.ts';
import { jointTailLog } from '../model/wald.ts';
import { fTail } from '../numeric/distributions.ts';
import { FormulaError, parseFormula } from '../study/formula.ts';
import { grouped, probability, significant } from '../text/number-text.ts';
import { type Ink, layOut, numberColumn } from '../text/text-table.ts';
import { type JointTest, jointTest, waldOf } from './anova.ts';
import { coefficientPlaces, findTerm, type ModelTerm, modelTerms } from './model-terms.ts';
import type { QueryInput } from './query-input.ts';
import { explainedBy, isLeastSquares, withoutColumns } from './submodel.ts';
import { untestable } from './testable.ts';
import type { Asked, Topic } from './topic.ts';

/** A model against the same without some of its terms. */
export interface Comparison {
  readonly about: 'comparison';
  readonly without: readonly string[];
  readonly test: JointTest;
  readonly df: number;
  /** Degrees of freedom of the test: of the full model, or of clustered errors; absent for chi-square. */
  readonly 'df.residual'?: number;
  readonly statistic: number;
  readonly 'p.value': number;
  readonly full: NestedModel;
  readonly reduced: NestedModel;
}

/** One of two nested models; what is not known of it is absent. */
export interface NestedModel {
  readonly terms: readonly string[];
  readonly 'df.residual': number;
  readonly deviance?: number;
  readonly 'r.squared'?: number;
  readonly 'adj.r.squared'?: number;
  readonly AIC?: number;
  readonly BIC?: number;
}

export interface ComparisonQuestion extends Asked<'comparison'> {
  /** Terms to leave out. */
  readonly without: readonly string[];
}

/**
 * R's anova(reduced, full), or a Wald test where the errors are clustered. In a logistic or Poisson regression by Wald: the
 * likelihood of the smaller model needs rounds of its own (`likelihood-ratio.ts`).
 */
export function comparison(input: QueryInput, without: readonly string[]): Comparison | Failure {
  const { fit, response } = input;
  const refusal = untestable(input);
  if (refusal !== undefined) return refusal;
  if (!isLeastSquares(fit) && fit.glm === undefined) {
    return {
      problem: 'models with random site effects are not compared by sums of squares',
      remedy: 'ask for anova, which tests every term with the errors of this model',
    };
  }
  const terms = modelTerms(input);
  const gone: ModelTerm[] = [];
  for (const label of without) {
    const found = findTerm(terms, label, input.design);
    if ('problem' in found) return found;
    if (!gone.includes(found)) gone.push(found);
  }
  if (gone.length === 0) {
    return {
      problem: 'no term was named to leave out',
      remedy: `its terms are ${terms.map(({ label }) => label).join(', ')}`,
    };
  }
  const kept = terms.filter((term) => !gone.includes(term));
  const refused = recodedTerm(input, kept);
  if (refused !== undefined) return refused;
  const columns = gone.flatMap((term) => term.columns).sort((a, b) => a - b);
  if (fit.glm !== undefined) return waldComparison(input, columns, labels(gone), labels(kept));
  const rest = withoutColumns(fit.total, columns);
  if ('problem' in rest) return rest;
  const model = fit.models[response];
  const extra = explainedBy(fit, response, columns);
  if ('problem' in extra) return extra;
  const errors = fit.errors?.[response];
  const freedom = model.rows - model.terms.length;
  const statistic = extra.sumsq / extra.df / (model.residualSumOfSquares / freedom);
  const test =
    errors === undefined
      ? { statistic, 'p.value': fTail(statistic, extra.df, freedom) }
      : waldOf(model, errors, coefficientPlaces(fit, columns));
  if (extra.df === 0 || test.statistic === undefined || test['p.value'] === undefined) {
    return nothingLost;
  }
  return {
    about: 'comparison',
    without: labels(gone),
    test: jointTest(errors),
    df: errors === undefined ? extra.df : coefficientPlaces(fit, columns).length,
    'df.residual': errors?.freedom ?? freedom,
    statistic: test.statistic,
    'p.value': test['p.value'],
    full: nested(model, labels(terms)),
    reduced: nested(rest.models[response], labels(kept)),
  };
}

const nothingLost: Failure = {
  problem: 'nothing is lost without these terms: the others explain the same',
  remedy: 'see which columns are aliased, or name other terms',
};

function labels(terms: readonly ModelTerm[]): string[] {
  return terms.map(({ label }) => label);
}

/** The test of these columns from the information and the scores: nothing is known of the smaller model but its terms. */
function waldComparison(
  { fit, response }: QueryInput,
  columns: readonly number[],
  without: readonly string[],
  kept: readonly string[],
): Comparison | Failure {
  const model = fit.models[response];
  const errors = fit.errors?.[response];
  const places = coefficientPlaces(fit, columns);
  const separated = places.filter((k) => fit.glm?.separated?.includes(model.terms[k]));
  if (separated.length > 0 || errors === undefined) {
    return {
      problem: `${separated.map((k) => model.terms[k]).join(', ') || 'the model'} has no standard errors to test by`,
      remedy: 'leave separated terms out of the formula',
    };
  }
  const test = waldOf(model, errors, places);
  if (test.statistic === undefined || test['p.value'] === undefined) return nothingLost;
  const freedom = model.rows - model.terms.length;
  return {
    about: 'comparison',
    without,
    test: jointTest(errors),
    df: places.length,
    ...(Number.isFinite(errors.freedom) ? { 'df.residual': errors.freedom } : {}),
    statistic: test.statistic,
    'p.value': test['p.value'],
    full: { terms: [...kept, ...without], 'df.residual': freedom },
    reduced: { terms: kept, 'df.residual': freedom + places.length },
  };
}

function nested(model: LinearModel, terms: readonly string[]): NestedModel {
  const line = glance(model);
  return {
    terms,
    'df.residual': model.rows - model.terms.length,
    deviance: line.deviance,
    'r.squared': line['r.squared'],
    'adj.r.squared': line['adj.r.squared'] ?? Number.NaN,
    AIC: line.AIC ?? Number.NaN,
    BIC: line.BIC ?? Number.NaN,
  };
}

/**
 * Refuses to leave out a term below an interaction: R would recode the interaction, so that only names change, and
 * dropping the columns would give another model than that formula.
 */
function recodedTerm(
  { study, design }: QueryInput,
  kept: readonly ModelTerm[],
): Failure | undefined {
  const formula = parseFormula(study.formula);
  const labels = new Set(kept.map(({ label }) => label));
  try {
    const all = createDesign(formula, study.codebook).terms;
    const gone = all.filter(({ label }) => !labels.has(label)).map(({ label }) => ` - ${label}`);
    const reduced = parseFormula(study.formula + gone.join(''));
    const names = new Set(design.columns.map(({ name }) => name));
    const smaller = createDesign(reduced, study.codebook);
    const recoded = smaller.columns
      .slice(0, smaller.columns.length - smaller.responses)
      .find(({ name }) => !names.has(name));
    if (recoded === undefined) return undefined;
    return {
      problem: `without these terms ${recoded.term} would be recoded, and the model would stay the same`,
      remedy: `leave out ${recoded.term} as well, or ask for anova, which tests at the baseline`,
    };
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    return { problem: 'no term would be left', remedy: 'keep one, or an intercept' };
  }
}

/** Two nested models, one above the other, and the test between them. */
export function comparisonText(answer: Comparison, ink: Ink): string {
  const { without, test, df, statistic, full, reduced } = answer;
  const models = [reduced, full];
  const freedom = answer['df.residual'];
  const log = jointTailLog(statistic, df, freedom ?? Number.POSITIVE_INFINITY);
  const likelihood = test === 'likelihood ratio';
  const known = reduced.deviance !== undefined;
  const figures = [
    [likelihood ? 'Deviance' : 'RSS', (model) => model.deviance, likelihood ? 7 : 5],
    ['R-squared', (model) => model['r.squared'], 4],
    ['Adjusted', (model) => model['adj.r.squared'], 4],
    ['AIC', ({ AIC }) => AIC, 7],
    ['BIC', ({ BIC }) => BIC, 7],
  ] satisfies [string, (model: NestedModel) => number | undefined, number][];
  return [
    ink.bold(`With and without ${without.join(', ')}`),
    ...layOut(
      [
        ['', 'without', 'with'],
        ['Res.Df', ...models.map((model) => grouped(model['df.residual']))],
        ...figures
          .filter(([, of]) => models.some((model) => of(model) !== undefined))
          .map(([name, of, digits]) => numberColumn(name, models.map(of), digits)),
      ],
      ink,
    ),
    `${test}: ${significant(statistic, 4)} on ${df}` +
      `${freedom === undefined ? '' : ` and ${grouped(freedom)}`} DF,  p-value: ${probability(log)}`,
    ...(known
      ? []
      : [
          ink.faint(
            'by Wald, with the errors of this model: a likelihood ratio needs rounds of the smaller model (a fit with all rows at hand, and classical errors)',
          ),
        ]),
  ].join('\n');
}

export const comparisonTopic: Topic<Comparison, ComparisonQuestion> = {
  about: 'comparison',
  needs: 'information',
  sees: 'total',
  per: 'response',
  carries: (z) => ({ without: z.array(z.string().min(1).max(1000)).min(1).max(1000) }),
  ask: (input, { without }) => comparison(input, without),
  text: comparisonText,
};
