import { createDesign } from '../../src/features/design.ts';
import { mechanismOf } from '../../src/privacy/mechanism.ts';
import { placementOf } from '../../src/privacy/placement.ts';
import { privateColumns, privateLayout } from '../../src/privacy/private-layout.ts';
import { privateSummarizer } from '../../src/privacy/private-summary.ts';
import { entriesOf, wordsOf } from '../../src/statistic/layout.ts';
import { fractionBitsOf } from '../../src/statistic/linear-layout.ts';
import { ringEntry } from '../../src/statistic/ring.ts';
import type { LinearStatistic } from '../../src/statistic/statistic.ts';
import type { Codebook } from '../../src/study/codebook.ts';
import { parseFormula } from '../../src/study/formula.ts';
import type { PrivacyTerms } from '../../src/study/study.ts';
import type { Neighbours } from './label-attack.ts';

/** Public units of both: centre 0, standard deviation 1; the response reaches three of them. */
const codebook: Codebook = {
  x: { type: 'number', range: [-3, 3] },
  y: { type: 'number', range: [-3, 3], center: 0, sd: 1 },
  who: { type: 'id' },
};

/** (x, y) and whose row it is. */
export type Row = readonly [x: number, y: number, who: number];

/** Releases of the same rows under one promise, each with its own terms. */
export function privateNeighbours(
  releases: readonly PrivacyTerms[],
  rows: readonly [without: readonly Row[], within: readonly Row[]],
): Neighbours {
  const design = createDesign(parseFormula('y ~ x'), codebook);
  const made = releases.map((terms) => {
    const layout = privateLayout(design, terms);
    const statisticOf = (side: readonly Row[]): LinearStatistic => {
      const site = privateSummarizer(design, layout, terms, [], {
        file: 'site.csv',
        missing: 'refuse',
        fewRows: true,
      });
      const columns = [...design.variables, ...(terms.unit === 'person' ? ['who'] : [])].map(
        (name) => Float64Array.from(side, (row) => row[['x', 'y', 'who'].indexOf(name)]),
      );
      site.add({ rows: side.length, columns }, (r) => r + 1);
      return site.finish().statistic;
    };
    const { atSite, onTotal } = placementOf(terms);
    const mechanism = mechanismOf(terms, privateColumns(layout));
    return { statistics: rows.map(statisticOf), atSite, onTotal, mechanism };
  });
  const numbersOf = (statistics: readonly LinearStatistic[]) =>
    Float64Array.from(statistics.flatMap(numbers));
  const exact = (side: 0 | 1) => numbersOf(made.map(({ statistics }) => statistics[side]));
  return {
    exact: [exact(0), exact(1)],
    release: (side, words) =>
      numbersOf(
        made.map(({ statistics, atSite, onTotal, mechanism }) =>
          onTotal(atSite(statistics[side], mechanism, words), mechanism, words),
        ),
      ),
  };
}

function numbers({ layout, values }: LinearStatistic): number[] {
  const unit = 2 ** fractionBitsOf(layout);
  return Array.from(
    { length: entriesOf(layout) },
    (_, e) => Number(ringEntry(values, wordsOf(layout), e)) / unit,
  );
}
