import { isLinear, wordsOf } from '../statistic/layout.ts';
import { packedIndex } from '../statistic/linear-layout.ts';
import { ringEntry } from '../statistic/ring.ts';
import {
  type LinearStatistic,
  linearStatistic,
  rowCount,
  type Statistic,
} from '../statistic/statistic.ts';
import type { IndicatedTerm } from './baselines.ts';
import { smallCellsRule, smallGroups, smallLevels } from './cell-rules.ts';
import { cellsOfStatistic } from './cells.ts';
import { designFactor } from './design-factor.ts';
import type { Standard } from './profile.ts';
import { type Audit, auditOf, notApplicable } from './rule.ts';
import { beyondRank, enoughRows, fewColumns } from './size-rules.ts';

/** Checks the total before it is published, against the rules that need no rows. The sites have checked the others. */
export function auditTotal(
  sum: Statistic,
  terms: readonly IndicatedTerm[],
  { profile, thresholds }: Standard,
): Audit {
  const site = notApplicable('each site has checked its own rows');
  const others = { R6: site, R7: site, R8: site, R9: site, R10: site, R11: site };
  if (!isLinear(sum.layout)) {
    const none = notApplicable('the rule is about the columns of a regression');
    const covered = { R1: none, R2: none, R3: none, R4: none, R5: none };
    return auditOf(profile, {
      ...others,
      ...covered,
      R0: enoughRows(rowCount(sum), thresholds.rows),
    });
  }
  const total = linearStatistic(sum);
  const { layout } = total;
  if (layout.privacy !== undefined) {
    const noise = notApplicable('the noise protects every row');
    const covered = { R0: noise, R1: noise, R2: noise, R3: noise, R4: noise, R5: noise };
    return auditOf(profile, { ...others, ...covered });
  }
  const rows = rowCount(total);
  const R0 = enoughRows(rows, thresholds.rows);
  if (layout.estimate !== undefined) {
    const none = notApplicable('the sites sent coefficients, and each has checked its own rows');
    const few = fewColumns(rows, layout.columns.length - 1, thresholds);
    return auditOf(profile, { R0, R1: few, R2: none, R3: none, R4: none, R5: none, ...others });
  }
  const sizes = {
    R0,
    R1: fewColumns(rows, presentColumns(total).length, thresholds),
    R2: beyondRank(rows, designFactor(total), thresholds),
  };
  if (layout.weightScale !== null) {
    const cells = notApplicable('a sum of weighted rows does not show how many rows a cell has');
    return auditOf(profile, { ...sizes, R3: cells, R4: cells, R5: cells, ...others });
  }
  const cells = cellsOfStatistic(total, terms);
  const split = new Set(cells.columns.map(({ name }) => name));
  const summed = presentColumns(total).some((name) => !split.has(name));
  return auditOf(profile, {
    ...sizes,
    R3: smallLevels(cells, thresholds),
    R4: smallCellsRule(cells, thresholds),
    R5: { verdicts: summed ? smallGroups(cells, thresholds) : [] },
    ...others,
  });
}

/** Columns that are not zero in every row, in the user's units. */
function presentColumns({ layout, values }: LinearStatistic): string[] {
  const width = layout.columns.length;
  const isZero = (k: number) => ringEntry(values, wordsOf(layout), packedIndex(width, k, k)) === 0n;
  const { references } = layout;
  return layout.columns.filter((_, k) => k > 0 && !(references[k].center === 0 && isZero(k)));
}
