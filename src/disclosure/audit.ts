import { defined } from '../defined.ts';
import type { ExpressionParts } from '../features/expression-parts.ts';
import type { Charge } from '../privacy/charge.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { IndicatedTerm } from './baselines.ts';
import { endsPromise, withinBudget } from './budget-rule.ts';
import { smallCellsRule, smallGroups, smallLevels, sparseColumns } from './cell-rules.ts';
import { cellsOfRows } from './cells.ts';
import { designFactor } from './design-factor.ts';
import { hiddenParts, influentialParts, noComparisons } from './expression-rules.ts';
import type { History } from './history.ts';
import { differencing, released } from './history-rules.ts';
import { dominance, influenceRule, madeUpColumns } from './influence-rules.ts';
import { leverageBound, wholeLeverageBound } from './leverage.ts';
import { fewInputs, type NetworkAuditInput, remembersRows, smallClasses } from './network-rules.ts';
import { groupDisclosure, smallWholeTable } from './pattern-rules.ts';
import type { Standard } from './profile.ts';
import { manyValued, type RowFacts } from './row-facts.ts';
import {
  type Audit,
  auditOf,
  type Finding,
  notApplicable,
  type RuleId,
  type Verdict,
} from './rule.ts';
import { beyondRank, enoughRows, fewColumns } from './size-rules.ts';
import { heavyCells, heavyLevels, heavySums } from './weight-rules.ts';
import type { WeightedFacts } from './weighted-facts.ts';

/** What a site knows about an exact statistic before it is sent. */
export interface ExactAuditInput {
  readonly statistic: LinearStatistic;
  readonly facts: RowFacts;
  /** Terms of the design. */
  readonly terms: readonly IndicatedTerm[];
  /**
   * If the columns are mapped: the original columns, whose cells can still be read from the sums. If expressions have parts:
   * the columns and these parts, with the sums they are in.
   */
  readonly originals?: {
    readonly layout: LinearLayout;
    readonly facts: RowFacts;
    readonly terms: readonly IndicatedTerm[];
    readonly expressions?: Pick<ExpressionParts, 'sums' | 'tooLong'>;
  };
  /** Columns that are constant within a site by construction: those of `.site`. */
  readonly ignored?: readonly string[];
  /** The largest leverage, if a second pass has measured it. */
  readonly leverage?: number;
  /** The same of predictors and responses together, where the statistic has products of both. */
  readonly wholeLeverage?: number;
  /** If rows do not count alike: what the second pass has measured with their weights. */
  readonly weighted?: WeightedFacts;
  /** Where the statistic has the squares of the rows' scores: how rows share these. */
  readonly squaredScores?: WeightedFacts;
  /** What may be made up: the study gives the weights of rows, or columns, and names no resolution that they are from. */
  readonly madeUp?: 'weights' | 'columns' | 'training';
  /** Why the leverage of the rows was not measured, though it should be: R6 is then not judged. */
  readonly unmeasured?: string;
  /** What the formula has and the site does not take. */
  readonly forbidden?: 'comparisons';
  /** The number of persons, where ids tell it. */
  readonly persons?: number;
  readonly history?: History;
}

/** What a site knows about a release with noise. */
export interface PrivateAuditInput {
  readonly charge: Charge;
  readonly history?: History;
}

/** What a site knows about an exact statistic that is not from a regression. */
export interface OpaqueAuditInput {
  readonly rows: number;
  /** The number of persons, where ids tell it. */
  readonly persons?: number;
  /** Where a network was trained. */
  readonly network?: NetworkAuditInput;
  readonly history?: History;
}

/** What the rules of the audit look at: exact sums, private sums, or a statistic that is no regression. */
export type AuditInput = ExactAuditInput | PrivateAuditInput | OpaqueAuditInput;

/** Checks a release against the rules R0–R11 (docs/threat-model.md), before the site sends anything. */
export function audit(input: AuditInput, { profile, thresholds }: Standard): Audit {
  return auditOf(profile, resultsOf(input, thresholds));
}

type RuleResults = Readonly<Record<RuleId, Finding>>;

function resultsOf(input: AuditInput, thresholds: Standard['thresholds']): RuleResults {
  if ('charge' in input) return privateResults(input, thresholds);
  if ('facts' in input) return exactResults(input, thresholds);
  return opaqueResults(input, thresholds);
}

function exactResults(input: ExactAuditInput, thresholds: Standard['thresholds']): RuleResults {
  const { statistic, facts, terms, ignored = [], history, weighted, squaredScores } = input;
  const weightings = [weighted, squaredScores].filter((known) => known !== undefined);
  const { layout } = statistic;
  const { rows } = facts;
  const own: NonNullable<typeof input.originals> = input.originals ?? { layout, facts, terms };
  const cells = cellsOfRows(own.facts);
  const present = facts.columns.filter(
    ({ name, baseline, lowest, highest }) =>
      !baseline && !ignored.includes(name) && !(lowest === 0 && highest === 0),
  );
  const { rank, dependent } = designFactor(statistic);
  const varying = dependent.filter(
    (name) => facts.columns.find((column) => column.name === name)?.values?.length !== 1,
  );
  const influence = {
    leverage: input.leverage ?? leverageBound(statistic, facts),
    measured: input.leverage !== undefined,
    ...defined({ weighted, whole: input.wholeLeverage }),
    strict: input.madeUp === 'weights',
  };
  // What was not measured with the weights is not judged, so it must not count as passed.
  const measuredOr = (measured: boolean) =>
    layout.weightScale === null || measured
      ? {}
      : { unjudged: 'the rows do not count alike, and nobody has measured their weights' };
  const haveWeights =
    weighted !== undefined && (layout.scores !== true || squaredScores !== undefined);
  const open = measuredOr(haveWeights);
  return {
    R0: {
      ...enoughRows(rows, thresholds.rows, { weightings, ...defined({ persons: input.persons }) }),
      ...open,
    },
    R1: fewColumns(rows, present.length, thresholds),
    R2: beyondRank(rows, { rank, dependent: varying }, thresholds),
    R3: also(smallLevels(cells, thresholds), open, [
      ...distinct(weightings.flatMap((known) => heavyLevels(own.facts, known, thresholds))),
      ...(input.forbidden === undefined ? [] : [noComparisons]),
    ]),
    R4: also(
      smallCellsRule(cells, thresholds),
      open,
      distinct(weightings.flatMap((known) => heavyCells(own.facts, known, thresholds))),
    ),
    R5: {
      ...open,
      verdicts: [
        ...(manyValued(own.facts.columns).length > 0 ? smallGroups(cells, thresholds) : []),
        ...sparseColumns(own.facts, thresholds),
        ...distinct([
          ...dominance(own.facts, thresholds),
          ...(own.facts === facts ? [] : dominance(facts, thresholds)),
        ]),
        ...(own.expressions === undefined
          ? []
          : hiddenParts(own.facts, own.expressions, layout.grid)),
        ...distinct(weightings.flatMap((known) => heavySums(own.facts, known, thresholds))),
      ],
    },
    R6: also(
      influenceRule(layout, facts, influence, thresholds),
      {
        ...measuredOr(haveWeights && influence.measured),
        ...defined({ unjudged: input.unmeasured }),
      },
      [
        ...influentialParts(own.facts, thresholds),
        ...(input.madeUp === 'columns' ? [madeUpColumns] : []),
      ],
    ),
    R7: groupDisclosure(own.layout, own.facts, own.terms, ignored, thresholds),
    R8: smallWholeTable(own.facts, thresholds),
    R9: differencing(history, thresholds),
    R10: released(own.facts, history, thresholds),
    R11: endsPromise(history),
  };
}

/** Each verdict once. */
function distinct(verdicts: readonly Verdict[]): Verdict[] {
  return [...new Map(verdicts.map((verdict) => [JSON.stringify(verdict), verdict])).values()];
}

/** A finding with further verdicts. */
function also(
  { verdicts = [] }: Finding,
  open: Pick<Finding, 'unjudged'>,
  more: readonly Verdict[] = [],
): Finding {
  return { verdicts: [...verdicts, ...more], ...open };
}

function opaqueResults(
  { rows, persons, history, network }: OpaqueAuditInput,
  thresholds: Standard['thresholds'],
): RuleResults {
  const none = notApplicable('the rule is about the columns of a regression');
  return {
    R0: enoughRows(rows, thresholds.rows, defined({ persons })),
    ...{ R1: none, R2: none, R3: none, R4: none, R5: none, R6: none, R7: none, R8: none },
    ...(network && {
      R1: fewInputs(network, thresholds),
      R3: smallClasses(network, thresholds),
      R6: remembersRows(network),
    }),
    R9: differencing(history, thresholds),
    R10: none,
    R11: endsPromise(history),
  };
}

function privateResults(
  { charge, history }: PrivateAuditInput,
  thresholds: Standard['thresholds'],
): RuleResults {
  const noise = notApplicable(
    charge.placement === 'central'
      ? 'the noise protects every row in what is published; the coordinator sees exact sums'
      : 'the noise protects every row',
  );
  const budget = notApplicable('every release counts against the budget of R11');
  return {
    ...{ R0: noise, R1: noise, R2: noise, R3: noise, R4: noise, R5: noise, R6: noise, R7: noise },
    R8: noise,
    R9: budget,
    R10: budget,
    R11: withinBudget(charge, history, thresholds),
  };
}

/** Whether R6 needs a second pass over the rows, with a `leverageCounter`. */
export function needsLeverage(
  { statistic, facts }: Pick<ExactAuditInput, 'statistic' | 'facts'>,
  { thresholds }: Standard,
): boolean {
  const { noticeableLeverage, influence } = thresholds;
  return !(
    leverageBound(statistic, facts) <= noticeableLeverage &&
    wholeLeverageBound(statistic, facts) <= influence
  );
}
