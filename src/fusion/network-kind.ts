import type { Failure } from '../failure.ts';
import type { Examples, Loss } from '../network/examples.ts';
import type { ValueRange } from '../network/generated-inputs.ts';
import type { Network } from '../network/network.ts';
import type { NetworkPlan } from '../network/network-plan.ts';
import type { Segment } from '../statistic/segments.ts';
import type { NetworkSums } from './network-numbers.ts';

/** A site's network after training, and the rows it was trained on. */
export interface TrainedSite {
  readonly plan: NetworkPlan;
  readonly weights: Float32Array;
  readonly examples: Examples;
  /** Seeds what is drawn at a site, such as labels. */
  readonly seed: number;
}

/** A fused network; a fusion may change its widths. */
export interface FusedNetwork {
  readonly network: Network;
  readonly weights: Float64Array;
}

/** The numbers that sites sent. */
export interface SentNetworks {
  readonly total: NetworkSums;
  /** Of each site, if the kind asks for them. */
  readonly sites: readonly NetworkSums[];
}

/** One way to fuse networks: an entry of `network-kinds.ts`. */
export interface NetworkKind<Terms> {
  /** How the study learns, in words. */
  text(terms: Terms): string;
  /** What the sent numbers are, line by line, after the number of rows. */
  leaves(plan: NetworkPlan, terms: Terms): readonly string[];
  /** Throws DataError for terms that do not go together, before anything is read. */
  refuse?(plan: NetworkPlan, terms: Terms, loss: Loss): void;
  /** Whether the sum over sites is enough. */
  readonly needs: 'total' | 'sites';
  /** Whether products of the inputs are sent: of the first layer, they are those of the rows. */
  readonly sendsProducts?: true;
  /** What a site sends beside its number of rows. */
  segments(plan: NetworkPlan, terms: Terms): readonly Segment[];
  /** The numbers of every segment, per row; the site sends them times its rows. */
  measure(site: TrainedSite, terms: Terms): Readonly<Record<string, Float64Array>>;
  /** `ranges` are all values of an input, for each channel of its form. */
  fuse(
    sent: SentNetworks,
    network: Network,
    plan: NetworkPlan,
    terms: Terms,
    ranges: readonly ValueRange[],
  ): FusedNetwork | Failure;
}
