import type { Charge } from '../privacy/charge.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { IndicatedTerm } from './baselines.ts';
import { endsPromise, withinBudget } from './budget-rule.ts';
import { smallCells, smallGroups, smallLevels } from './cell-rules.ts';
import { cellsOfRows } from './cells.ts';
import { designFactor } from './design-factor.ts';
import type { History } from './history.ts';
import { differencing, released } from './history-rules.ts';
import { dominance, influence } from './influence-rules.ts';
import { leverageBound } from './leverage.ts';
import { groupDisclosure, smallWholeTable } from './pattern-rules.ts';
import type { Standard } from './profile.ts';
import { manyValued, type RowFacts } from './row-facts.ts';
import { type Audit, auditOf, type Finding, notApplicable, type RuleId } from './rule.ts';
import { beyondRank, enoughRows, fewColumns } from './size-rules.ts';
import { sparseColumns } from './sparse-rule.ts';

/** What is known at a site of an exact statistic that is about to leave. */
export interface ExactEvidence {
  readonly statistic: LinearStatistic;
  readonly facts: RowFacts;
  /** Terms of the design. */
  readonly terms: readonly IndicatedTerm[];
  /** Of a statistic of mapped columns: those they are of, whose cells its sums still tell. */
  readonly originals?: {
    readonly layout: LinearLayout;
    readonly facts: RowFacts;
    readonly terms: readonly IndicatedTerm[];
  };
  /** Columns that are the same in all rows of a site by construction: those of `.site`. */
  readonly ignored?: readonly string[];
  /** The largest leverage, where a second pass has measured it. */
  readonly leverage?: number;
  readonly history?: History;
}

/** What is known of a release with noise. */
export interface PrivateEvidence {
  readonly charge: Charge;
  readonly history?: History;
}

/** What is known of an exact statistic that is no regression’s. */
export interface OpaqueEvidence {
  readonly rows: number;
  readonly history?: History;
}

export type AuditEvidence = ExactEvidence | PrivateEvidence | OpaqueEvidence;

/** Holds a release against the rules R0–R11 (Suffice's; docs/threat-model.md), before anything leaves the site. */
export function audit(evidence: AuditEvidence, { profile, thresholds }: Standard): Audit {
  const findings =
    'charge' in evidence
      ? privateFindings(evidence, thresholds)
      : 'facts' in evidence
        ? exactFindings(evidence, thresholds)
        : opaqueFindings(evidence, thresholds);
  return auditOf(profile, findings);
}

type Findings = Readonly<Record<RuleId, Finding>>;

function exactFindings(evidence: ExactEvidence, thresholds: Standard['thresholds']): Findings {
  const { statistic, facts, terms, ignored = [], history } = evidence;
  const { layout } = statistic;
  const { rows } = facts;
  const own = evidence.originals ?? { layout, facts, terms };
  const cells = cellsOfRows(own.facts);
  const present = facts.columns.filter(
    ({ name, baseline, lowest, highest }) =>
      !baseline && !ignored.includes(name) && !(lowest === 0 && highest === 0),
  );
  const { rank, dependent } = designFactor(statistic);
  const varying = dependent.filter(
    (name) => facts.columns.find((column) => column.name === name)?.values?.length !== 1,
  );
  const leverage = {
    value: evidence.leverage ?? leverageBound(statistic, facts),
    measured: evidence.leverage !== undefined,
  };
  return {
    R0: enoughRows(rows, thresholds.rows),
    R1: fewColumns(rows, present.length, thresholds),
    R2: beyondRank(rows, { rank, dependent: varying }, thresholds),
    R3: smallLevels(cells, thresholds),
    R4: smallCells(cells, thresholds),
    R5: {
      verdicts: [
        ...(manyValued(own.facts.columns).length > 0 ? smallGroups(cells, thresholds) : []),
        ...sparseColumns(own.facts, thresholds),
        ...dominance(own.facts, thresholds),
        ...(own.facts === facts ? [] : dominance(facts, thresholds)),
      ],
    },
    R6: influence(layout, facts, leverage, thresholds),
    R7: groupDisclosure(own.layout, own.facts, own.terms, ignored, thresholds),
    R8: smallWholeTable(own.facts, thresholds),
    R9: differencing(history, thresholds),
    R10: released(own.facts, history, thresholds),
    R11: endsPromise(history),
  };
}

function opaqueFindings(
  { rows, history }: OpaqueEvidence,
  thresholds: Standard['thresholds'],
): Findings {
  const none = notApplicable('the rule is about the columns of a regression');
  return {
    R0: enoughRows(rows, thresholds.rows),
    ...{ R1: none, R2: none, R3: none, R4: none, R5: none, R6: none, R7: none, R8: none },
    R9: differencing(history, thresholds),
    R10: none,
    R11: endsPromise(history),
  };
}

function privateFindings(
  { charge, history }: PrivateEvidence,
  thresholds: Standard['thresholds'],
): Findings {
  const noise = notApplicable(
    charge.placement === 'local'
      ? 'the noise protects every row, whatever the others are'
      : 'the noise protects every row in what is published; the coordinator sees exact sums',
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

/** Whether only a second pass over the rows, with a `leverageMeter`, settles R6. */
export function needsLeverage(
  { statistic, facts }: Pick<ExactEvidence, 'statistic' | 'facts'>,
  { thresholds }: Standard,
): boolean {
  return leverageBound(statistic, facts) > thresholds.noticeableLeverage;
}
