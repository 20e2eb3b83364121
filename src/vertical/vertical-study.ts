import type { ColumnsAt } from '../aggregation/aggregation.ts';
import { type SplitColumn, splitColumns } from '../aggregation/split-ring.ts';
import { DataError } from '../data-error.ts';
import { thresholdsOf } from '../disclosure/profile.ts';
import type { Design } from '../features/design.ts';
import { partyDesign } from '../features/split-design.ts';
import type { Agreement } from '../federate.ts';
import { crossProductLayout } from '../statistic/cross-product.ts';
import { isLinear } from '../statistic/layout.ts';
import type { Grid, LinearLayout } from '../statistic/linear-layout.ts';
import { type PairRing, pairRings } from './pair-ring.ts';

/** A study whose parties hold different columns, with all that follows from it. */
export interface VerticalStudy {
  readonly agreed: Agreement;
  readonly digest: string;
  readonly columnsAt: ColumnsAt;
  /** Names of the parties, in order; the first one tells the number of people. */
  readonly parties: readonly string[];
  readonly layout: LinearLayout;
  readonly design: Design;
  readonly columns: readonly SplitColumn[];
  /** Fewest people that are linked. */
  readonly fewest: number;
  /** The rings of all pairs of parties, for a number of linked people. */
  ringsOf(people: number): readonly PairRing[];
}

/** Fewest people of a study without disclosure rules. */
const FEWEST = 3;

/** What a partition means for a study; refuses a study whose sites all have the same columns. */
export function verticalStudy(agreed: Agreement): VerticalStudy {
  const { aggregation, method, layout, digest, study } = agreed;
  const { columnsAt } = aggregation;
  if (columnsAt === undefined || method.regression === undefined || !isLinear(layout)) {
    throw new DataError(
      'every site of this study has all columns',
      {},
      'give the study a partition, or contribute without one',
    );
  }
  const { design } = method.regression;
  const parties = Object.keys(columnsAt.parties);
  const columns = splitColumns(layout, design, columnsAt);
  const rules = thresholdsOf(study.disclosure);
  return {
    ...{ agreed, digest, columnsAt, parties, layout, design, columns },
    fewest: rules === 'none' ? FEWEST : Math.max(FEWEST, rules.thresholds.rows),
    ringsOf: (people) => pairRings(columns, parties, people),
  };
}

/** The part of the model that one party computes. */
export interface PartyModel {
  readonly party: string;
  readonly design: Design;
  /** The layout of the sums over the party's own columns. */
  readonly layout: LinearLayout;
  /** Where each column of this layout stands in that of the study. */
  readonly places: readonly number[];
}

/** A party's part; refuses a name that is no party. */
export function partyModel(study: VerticalStudy, party: string): PartyModel {
  const { columnsAt, columns, layout } = study;
  if (!study.parties.includes(party)) {
    throw new DataError(
      `the partition has no party named ${party}`,
      {},
      `its parties are ${study.parties.join(', ')}`,
    );
  }
  const design = partyDesign(study.design, columnsAt.parties, party);
  const own = crossProductLayout(design, {
    arithmetic: layout.arithmetic,
    grid: layout.grid as Grid,
    largestWeight: null,
  });
  const places = columns.flatMap(({ owner }, place) =>
    owner === undefined || owner === party ? [place] : [],
  );
  return { party, design, layout: own, places };
}
