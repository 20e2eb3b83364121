import { DataError } from '../data-error.ts';
import { projectionChoices } from '../features/projection-choices.ts';
import { agreement, regressionOf } from '../federate.ts';
import { createKernels, type Kernels } from '../numeric/kernels.ts';
import { sentBytes } from '../statistic/envelope.ts';
import { entriesOf } from '../statistic/layout.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { Study, TableStudy } from '../study/study.ts';
import { roundingBound } from './rounding-bound.ts';
import { excessOf, fitAll, fitMapped, fitSome, type SampleFit } from './sample-fit.ts';
import { momentsOf, refuseDesign, type SampleMoments } from './sample-moments.ts';
import { screenedTerms } from './screened-terms.ts';
import { fitSketched } from './sketched.ts';
import { speeds } from './speeds.ts';

/** What the analyst expects of the sites. */
export interface Expected {
  readonly sites: number;
  /** Rows of each. */
  readonly rows: number;
}

/** One way to send a study's sums, and what it costs. */
export interface SendingChoice {
  readonly name: string;
  /** How a study asks for it; absent where no study can. */
  readonly ask?: string;
  /** Columns whose sums are sent, or rows of a sketch. */
  readonly size: number;
  /** Bytes of a site's numbers, without the header. */
  readonly bytes: number;
  readonly siteSeconds: number;
  readonly coordinatorSeconds: number;
  /** Residual variance above that of the exact fit, as a share of it; null if nothing can be said. */
  readonly error: number | null;
  /** Where an error that is expected from the sample may lie, for its number of rows: a 95 % interval. */
  readonly interval?: readonly [low: number, high: number];
  /** What the error is: none, a proven bound on rounding, or expected from the sample. */
  readonly basis: 'exact' | 'bound' | 'sample';
}

/** Every choice for a study, from the sums of the analyst's sample. */
export interface SendingCosts {
  readonly columns: number;
  readonly sample: number;
  readonly expected: Expected;
  readonly choices: readonly SendingChoice[];
  /** The choice to take. */
  readonly advised: SendingChoice;
}

/** What every choice is judged by. */
interface Basis {
  readonly kernels: Kernels;
  readonly study: TableStudy;
  readonly sample: SampleMoments;
  /** The exact fit of the sample. */
  readonly exact: SampleFit;
  readonly expected: Expected;
}

/** Bytes that nobody minds to send once. */
const NOBODY_MINDS = 20e6;
/** Errors of a fit that are small beside its noise. */
const SMALL_ERROR = 0.05;
const SEED = 1;
const FLOAT_BYTES = 8;

/** The study in exact arithmetic, without anything that the advice varies. */
export function plainStudy(study: Study): TableStudy {
  const agreed = agreement(study);
  const { study: own, design, layout } = regressionOf(agreed);
  const isSummed = agreed.layout === agreed.rowsLayout && layout.family === undefined;
  if (!isSummed || layout.privacy !== undefined || design.image !== undefined) {
    throw new DataError(
      'advice is about linear regressions of tables, without noise',
      {},
      'give a study of that kind',
    );
  }
  refuseDesign(design);
  return { ...own, arithmetic: 'exact' };
}

/** What each choice would cost, by the sample's sums in `plainStudy(study)`. */
export function sendingCosts(
  study: TableStudy,
  total: LinearStatistic,
  expected: Expected,
): SendingCosts {
  const sample = momentsOf(regressionOf(agreement(study)), total);
  const kernels = createKernels();
  const basis = { kernels, study, sample, exact: fitAll(kernels, sample), expected };
  const choices = [summed, projected, sketched, screened].flatMap((choicesOf) => choicesOf(basis));
  return {
    columns: sample.predictors.length,
    sample: sample.rows,
    expected,
    choices,
    advised: advisedOf(choices),
  };
}

/** Seconds at a site and at the coordinator: `width` columns of z, `mapping` seconds a row to make them. */
function secondsOf(
  cells: number,
  width: number,
  { sites, rows }: Expected,
  entrySeconds: number,
  mapping = 0,
): Pick<SendingChoice, 'siteSeconds' | 'coordinatorSeconds'> {
  const entries = (width * (width + 1)) / 2;
  return {
    siteSeconds: rows * (cells * speeds.cell + mapping + entries * entrySeconds),
    coordinatorSeconds: sites * entries * speeds.addedNumber + width ** 2 * speeds.solvedPair,
  };
}

/** All sums: exact, compact, and with each rounded to fewer bytes. */
function summed({ kernels, study, sample, exact, expected }: Basis): SendingChoice[] {
  const { layout, columns } = agreement(study);
  const { sites, rows } = expected;
  const size = sample.predictors.length;
  const width = size + 1 + sample.responses.length;
  const bound = (error: number) => {
    const found = roundingBound(kernels, sample, exact, sites * rows, error);
    return { error: Number.isFinite(found) ? found : null, basis: 'bound' as const };
  };
  // Each of the sites' sums is rounded once; a float64 sum of n products of at most 1 is wrong by n²·2⁻⁵³ at most.
  const compactError = sites * (2 ** -33 + rows ** 2 * 2 ** -53);
  const compact = agreement({ ...study, arithmetic: 'compact' });
  const seconds = (entry: number) => secondsOf(columns.length, width, expected, entry);
  return [
    {
      ...{ name: 'exact', ask: '"arithmetic": "exact"', size, bytes: sentBytes(layout) },
      ...seconds(speeds.exactEntry),
      error: 0,
      basis: 'exact',
    },
    {
      ...{ name: 'compact', ask: '"arithmetic": "compact"', size },
      bytes: sentBytes(compact.layout),
      ...seconds(speeds.compactEntry),
      ...bound(compactError),
    },
    ...[4, 2].map((bytes) => ({
      name: `sums in ${bytes} bytes`,
      size,
      bytes: bytes * entriesOf(layout),
      ...seconds(speeds.compactEntry),
      ...bound(sites * rows * 2 ** (-8 * bytes)),
    })),
  ];
}

/** Some sizes below d: about an eighth, a quarter, a half and three quarters of it. */
function sizesOf(d: number): number[] {
  const sizes = [1 / 8, 1 / 4, 1 / 2, 3 / 4].map((part) => Math.max(1, Math.round(part * d)));
  return [...new Set(sizes)].filter((m) => m < d);
}

/** Projections with the usual seed: the matrix is public, so the very one that sites would use is tried on the sample. */
function projected({ kernels, study, sample, exact, expected }: Basis): SendingChoice[] {
  const d = sample.predictors.length;
  const cells = agreement(study).columns.length;
  return sizesOf(d).flatMap((size) =>
    projectionChoices(size, SEED).map(({ title, flag, terms, matrix, work }) => {
      const { products, sums } = work(d);
      const mapping = products * speeds.product + sums * speeds.sum;
      const { layout } = agreement({ ...study, features: [terms] });
      const width = size + 1 + sample.responses.length;
      return {
        ...{ name: title, ask: flag, size, bytes: sentBytes(layout) },
        ...secondsOf(cells, width, expected, speeds.exactEntry, mapping),
        ...excessOf(sample, fitMapped(kernels, sample, matrix(d), size), exact),
        basis: 'sample' as const,
      };
    }),
  );
}

/** Frequent directions, in float64, in the bytes of projections to a quarter and to half of the columns. */
function sketched({ kernels, study, sample, exact, expected }: Basis): SendingChoice[] {
  const d = sample.predictors.length;
  const width = d + 1 + sample.responses.length;
  const cells = agreement(study).columns.length;
  const sums = (m: number) => ((m + 2) * (m + 3)) / 2;
  const sizes = [d / 4, d / 2].map((m) => Math.max(1, Math.floor((2 * sums(m)) / width)));
  return [...new Set(sizes)].map((size) => ({
    ...{ name: 'frequent directions', size, bytes: FLOAT_BYTES * size * width },
    ...secondsOf(cells, width, expected, speeds.compactEntry),
    ...excessOf(sample, fitSketched(kernels, sample, size), exact),
    basis: 'sample',
  }));
}

/** The terms that matter most in the sample, and no others. */
function screened({ kernels, study, sample, exact, expected }: Basis): SendingChoice[] {
  const { layout, columns: read } = agreement(study);
  const d = sample.predictors.length;
  const perEntry = sentBytes(layout) / entriesOf(layout);
  const found = [1 / 4, 1 / 2, 3 / 4].map((part) =>
    screenedTerms(kernels, sample, exact, Math.max(1, Math.round(part * d))),
  );
  const sizes = found.map(({ columns }) => columns.length);
  return found
    .filter(({ columns: { length } }, k) => length < d && sizes.indexOf(length) === k)
    .map(({ terms, columns }) => {
      const width = columns.length + 1 + sample.responses.length;
      return {
        ...{ name: 'fewer columns', ask: terms.join(' + '), size: columns.length },
        bytes: (perEntry * width * (width + 1)) / 2,
        ...secondsOf(read.length, width, expected, speeds.exactEntry),
        ...excessOf(sample, fitSome(kernels, sample, columns), exact),
        basis: 'sample',
      };
    });
}

/** Exact sums if nobody minds their bytes, else compact ones, else the smallest that loses little. */
function advisedOf(choices: readonly SendingChoice[]): SendingChoice {
  const [exact, compact] = choices;
  if (exact.bytes <= NOBODY_MINDS) return exact;
  const isSmall = ({ error }: SendingChoice) => error !== null && error <= SMALL_ERROR;
  if (isSmall(compact) && compact.bytes <= 5 * NOBODY_MINDS) return compact;
  return choices
    .filter((choice) => choice.ask !== undefined && isSmall(choice))
    .reduce((best, one) => (one.bytes < best.bytes ? one : best), exact);
}
