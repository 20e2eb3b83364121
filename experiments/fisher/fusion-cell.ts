import type { FullDistillation } from '../../src/network/distillation.ts';
import type { DiagonalSite } from '../../src/network/fuse-diagonal.ts';
import type { KfacSite } from '../../src/network/fuse-kfac.ts';
import type { Network } from '../../src/network/network.ts';
import type { NetworkPlan } from '../../src/network/network-plan.ts';
import type { MatchedSite } from '../../src/network/pfnm.ts';
import type { ClientModel } from './client-model.ts';

/** Classes of every data set here. */
export const IMAGE_CLASSES = 10;

/** The clients of one partition and seed, to be fused. */
export interface FusionCell {
  readonly network: Network;
  readonly plan: NetworkPlan;
  readonly sites: readonly CellSite[];
  /** The same, with weights and diagonals as compressed messages say. */
  sentDiagonals(): readonly CellSite[];
  /** The same, with weights and Kronecker factors as compressed messages say. */
  sentFactors(): readonly CellSite[];
  /** Accuracy on 500 training images that the server has, as FedFisher's code draws them. */
  validate(weights: Float64Array): number;
  /** The size of DENSE. */
  readonly distillation: FullDistillation;
  report(share: number): void;
}

/** A client with everything that any fusion takes. */
export type CellSite = DiagonalSite & KfacSite & Required<MatchedSite>;

/** Clients as the servers take them; without Fisher information where none was computed. */
export function cellSites(clients: readonly ClientModel[]): CellSite[] {
  return clients.map(({ rows, weights, classCounts, fisher }) => ({
    rows,
    weights: Float64Array.from(weights),
    classCounts,
    fisher: fisher?.diagonal ?? new Float64Array(0),
    factors: fisher?.factors ?? [],
  }));
}
