import { defined } from '../defined.ts';
import type { Failure } from '../failure.ts';
import type { ResponseClasses } from '../features/design.ts';
import { classScores, precision } from '../model/class-scores.ts';
import type { ClassifierFit } from '../model/classifier-report.ts';
import { choosePenalty } from '../solve/choose.ts';
import type { ChosenPenalty } from '../solve/choose-curve.ts';
import { classMembers, whyNoScores } from '../solve/class-members.ts';
import { leastSquares } from '../solve/least-squares.ts';
import { normalEquations } from '../solve/normal-equations.ts';
import type { Solution } from '../solve/solution.ts';
import { varyingWithin } from '../solve/varying-columns.ts';
import { type WithinClasses, withinClasses } from '../solve/within-classes.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import type { DiscriminantFusion, NaiveBayesFusion, ShrinkageRule } from '../study/study.ts';

/** A classifier of one category from a total: a linear score for each class. */
export function resolveClassifier(
  total: LinearStatistic,
  category: ResponseClasses,
  fusion: DiscriminantFusion | NaiveBayesFusion,
  sites?: readonly LinearSiteStatistic[],
): ClassifierFit | Failure {
  const { present, empty } = classMembers(category, total);
  const rows = rowCount(total);
  const lacking = whyNoScores(category.label, present.length, total);
  if (lacking !== undefined) return lacking;
  const { within, constant } = varyingWithin(withinClasses(total, present));
  if (within.equations.predictors === 0) {
    return { problem: 'no column varies within the classes', remedy: 'add a term that does' };
  }
  const wanted = fusion.kind === 'discriminant' ? (fusion.shrinkage ?? 0) : 1;
  const chosen =
    typeof wanted === 'number' ? undefined : chosenShrinkage(total, within, wanted, sites);
  if (chosen !== undefined && 'problem' in chosen) return chosen;
  const shrinkage = chosen?.shrinkage ?? (wanted as number);
  const solution = shrinkage === 1 ? uncorrelated(within) : shrunk(within, shrinkage);
  if ('problem' in solution) return solution;
  const names = within.equations.layout.columns.slice(1);
  return {
    kind: fusion.kind,
    category,
    layout: total.layout,
    rows,
    terms: solution.kept.map((column) => names[column]),
    aliased: [...constant, ...solution.aliased.map((column) => names[column])],
    scores: classScores(within, solution, shrinkage === 1 ? 1 : 1 - shrinkage),
    empty,
    shrinkage,
    ...defined({ chosen }),
  };
}

type ScoreSolution = Pick<Solution, 'kept' | 'aliased' | 'coefficients'>;

/** Solves (1 − s)S + s·diag(S), up to the factor 1 − s. */
function shrunk({ equations }: WithinClasses, shrinkage: number): ScoreSolution | Failure {
  const { matrix, predictors } = equations;
  const share = shrinkage / (1 - shrinkage);
  const penalty = Float64Array.from(
    { length: predictors },
    (_, j) => share * matrix.hi[j * (matrix.width + 1)],
  );
  const solution = leastSquares(equations, penalty);
  if (!('problem' in solution)) return solution;
  return {
    problem: solution.problem,
    remedy: 'drop the dependent terms, or shrink the covariance',
  };
}

/** Solves diag(S): columns count as if they had no correlations within classes. */
function uncorrelated({ equations }: WithinClasses): ScoreSolution {
  const { matrix, predictors, responses } = equations;
  const { width, hi } = matrix;
  const kept = Array.from({ length: predictors }, (_, j) => j);
  const coefficients = Array.from({ length: responses }, (_, k) => ({
    hi: Float64Array.from(kept, (j) => hi[(predictors + k) * width + j] / hi[j * (width + 1)]),
    lo: new Float64Array(predictors),
  }));
  return { kept, aliased: [], coefficients };
}

/** The shrinkage of a ridge λ·diag(Σ) that a rule chose: S + λ·diag(Σ) is S shrunk by λ/(λ + n − K). */
function chosenShrinkage(
  total: LinearStatistic,
  within: WithinClasses,
  rule: ShrinkageRule,
  sites: readonly LinearSiteStatistic[] | undefined,
): NonNullable<ClassifierFit['chosen']> | Failure {
  const equations = normalEquations(total);
  const scatter = scatterByName(within);
  const freedom = precision(within);
  const unit = Float64Array.from({ length: equations.predictors }, (_, j) => {
    const own = scatter.get(equations.layout.columns[j + 1]) ?? 0;
    return (own * equations.equilibration[j] ** 2) / freedom;
  });
  const found: ChosenPenalty | Failure = choosePenalty(
    total,
    equations,
    unit,
    { kind: 'ridge', ridge: rule },
    sites,
  );
  if ('problem' in found) return found;
  const shrinkageOf = (ridge: number) => ridge / (ridge + freedom);
  const [low, high] = found.flat;
  return {
    rule,
    shrinkage: shrinkageOf(found.ridge),
    flat: [shrinkageOf(low), shrinkageOf(high)],
  };
}

/** The scatter of each column within classes, in units of the references. */
function scatterByName({ equations }: WithinClasses): ReadonlyMap<string, number> {
  const { layout, matrix, equilibration, predictors } = equations;
  return new Map(
    Array.from({ length: predictors }, (_, j) => [
      layout.columns[j + 1],
      matrix.hi[j * (matrix.width + 1)] / equilibration[j] ** 2,
    ]),
  );
}
