import { classSums, withClassWeights } from '../../src/network/class-weighted.ts';
import { averageNetwork, weightSums } from '../../src/network/fuse-average.ts';
import { fuseDense } from '../../src/network/fuse-dense.ts';
import {
  dampedDiagonal,
  diagonalSums,
  fisherMerge,
  paperDiagonal,
} from '../../src/network/fuse-diagonal.ts';
import { dampedKfac, paperKfac } from '../../src/network/fuse-kfac.ts';
import { otFusion } from '../../src/network/otfusion.ts';
import { type GrownNetwork, pfnm } from '../../src/network/pfnm.ts';
import { regMean, regMeanSums } from '../../src/network/regmean.ts';
import type { CellSite, FusionCell } from './fusion-cell.ts';

/** A way from the clients' networks to one. */
export interface FusionMethod {
  readonly label: string;
  /** Its column of FedFisher's tables, if it is the method that is printed there. */
  readonly printed?: string;
  /** A method that comes first; its weights are then given. */
  readonly after?: FusionMethodName;
  fuse(cell: FusionCell, before: Float64Array): GrownNetwork;
}

/** Steps of the loop of FedFisher's authors. */
const SERVER_STEPS = 2000;

/** Factors of the entries off the diagonal that RegMean chooses from (FedFisher, Appendix D.3). */
const regMeanFactors = [0.1, 0.9] as const;

const weightsOnly =
  (weightsOf: (cell: FusionCell) => Float64Array) =>
  (cell: FusionCell): GrownNetwork => ({ network: cell.network, weights: weightsOf(cell) });

/** The paper's loop, with validation at every hundredth step. */
const loopOf = ({ validate, report }: FusionCell) => ({
  validate,
  onStep: (step: number) => report(step / SERVER_STEPS),
});

/** Another last layer for weights that a method has fused. */
const withCounts = (cell: FusionCell, before: Float64Array): GrownNetwork => ({
  network: cell.network,
  weights: withClassWeights(cell.plan, before, classSums(cell.plan, cell.sites)),
});

export type FusionMethodName =
  | 'average'
  | 'otfusion'
  | 'pfnm'
  | 'regmean'
  | 'dense'
  | 'merge'
  | 'diagonalPaper'
  | 'kfacPaper'
  | 'diagonal'
  | 'kfac'
  | 'regmeanAll'
  | 'averageClasses'
  | 'kfacClasses'
  | 'diagonalSent'
  | 'kfacSent';

/** Every method by a name of its own. */
export const fusionMethods: Readonly<Record<FusionMethodName, FusionMethod>> = {
  average: {
    label: 'FedAvg',
    printed: 'FedAvg',
    fuse: weightsOnly(({ sites }) => averageNetwork(weightSums(sites))),
  },
  otfusion: {
    label: 'OTFusion',
    printed: 'OTFusion',
    fuse: weightsOnly(({ plan, sites }) => otFusion(plan, sites)),
  },
  pfnm: {
    label: 'PFNM',
    printed: 'PFNM',
    fuse: ({ network, plan, sites }) => pfnm(network, plan, sites),
  },
  regmean: { label: 'RegMean', printed: 'RegMean', fuse: weightsOnly(codedRegMean) },
  dense: { label: 'DENSE', printed: 'DENSE', fuse: weightsOnly(codedDense) },
  merge: {
    label: 'FisherMerge',
    printed: 'FisherMerge',
    fuse: weightsOnly((cell) => fisherMerge(diagonalSums(cell.sentDiagonals()))),
  },
  diagonalPaper: {
    label: 'FedFisher (Diag)',
    printed: 'FedFisher (Diag)',
    fuse: weightsOnly((cell) => paperDiagonal(diagonalSums(cell.sentDiagonals()), loopOf(cell))),
  },
  kfacPaper: {
    label: 'FedFisher (K-FAC)',
    printed: 'FedFisher (K-FAC)',
    fuse: weightsOnly((cell) => paperKfac(cell.plan, cell.sentFactors(), loopOf(cell))),
  },
  diagonal: {
    label: 'Diag, damped server',
    fuse: weightsOnly(({ plan, sites }) => dampedDiagonal(plan, diagonalSums(sites))),
  },
  kfac: {
    label: 'K-FAC, damped server',
    fuse: weightsOnly(({ plan, sites }) => dampedKfac(plan, sites)),
  },
  regmeanAll: {
    label: 'RegMean, convolutions too, no validation',
    fuse: weightsOnly(({ plan, sites }) => regMean(plan, regMeanSums(plan, withInputs(sites)))),
  },
  averageClasses: {
    label: 'FedAvg, last layer by class counts',
    after: 'average',
    fuse: withCounts,
  },
  kfacClasses: {
    label: 'K-FAC, damped server, last layer by class counts',
    after: 'kfac',
    fuse: withCounts,
  },
  diagonalSent: {
    label: 'Diag, damped server, compressed',
    fuse: weightsOnly(({ plan, sentDiagonals }) =>
      dampedDiagonal(plan, diagonalSums(sentDiagonals())),
    ),
  },
  kfacSent: {
    label: 'K-FAC, damped server, compressed',
    fuse: weightsOnly(({ plan, sentFactors }) => dampedKfac(plan, sentFactors())),
  },
};

export const fusionMethodOf = (name: FusionMethodName): FusionMethod => fusionMethods[name];

/** The rows of Table 2: the paper's methods, then ours. */
export const tableMethods: readonly FusionMethodName[] = [
  ...(['average', 'otfusion', 'pfnm', 'regmean', 'dense', 'merge'] as const),
  ...(['diagonalPaper', 'kfacPaper'] as const),
  ...(['diagonal', 'kfac', 'regmeanAll', 'averageClasses', 'kfacClasses'] as const),
];

const withInputs = (sites: readonly CellSite[]) =>
  sites.map(({ factors, ...site }) => ({ ...site, inputs: factors.map(({ inputs }) => inputs) }));

const DENSE_SEED = 1;

/** DENSE in the size of the data set, without validation; as in FedFisher's code, pixels are generated between 0 and 1, unscaled. */
function codedDense({ network, plan, sites, distillation, report }: FusionCell): Float64Array {
  const ranges = network.pixels!.map(() => ({ low: 0, high: 1 }));
  return fuseDense(plan, sites, ranges, distillation, { seed: DENSE_SEED, onStep: report });
}

/** RegMean as in FedFisher's code: dense layers only, convolutions by the plain mean of all clients, the factor by validation. */
function codedRegMean({ plan, sites, validate }: FusionCell): Float64Array {
  const plain = averageNetwork(weightSums(sites.map((site) => ({ ...site, rows: 1 }))));
  const tried = regMeanFactors.map((factor) => {
    const weights = regMean(plan, regMeanSums(plan, withInputs(sites), factor));
    for (const { start, rows, columns, positions } of plan.blocks) {
      const end = start + rows * columns;
      if (positions > 1) weights.set(plain.subarray(start, end), start);
    }
    return { weights, score: validate(weights) };
  });
  return tried.reduce((best, one) => (one.score > best.score ? one : best)).weights;
}
