import type { Distillation } from '../network/distillation.ts';
import type { Network } from '../network/network.ts';
import type { Training } from '../network/training.ts';
import type { ResolutionName } from '../study/study.ts';

/** What every fusion of networks says: sites train the same network on their own rows. */
export interface NetworkTerms {
  readonly network: Network;
  readonly training?: Training;
  /** Weights to start from, in place of random ones: little-endian float32 in base64. */
  readonly at?: string;
  /** The resolution that `at` is from, in a further round. */
  readonly from?: ResolutionName;
  /** Rounds of training and fusing, this one included; 1 unless given. */
  readonly rounds?: number;
  /** `ridge`: one more contact after the last round, which fits the last layer exactly. */
  readonly head?: 'ridge';
  /** `by-class`: sites also send their rows by class, and the last layer is averaged class by class. */
  readonly lastLayer?: 'by-class';
  /** Share of a site's rows that is not trained on and shows what the network remembers of the others; 0.1 unless given. */
  readonly heldOut?: number;
}

/** Most rounds of training and fusing. */
export const MOST_TRAINING_ROUNDS = 100;

/** Averages, weighted by rows. */
export interface NetworkAverageFusion extends NetworkTerms {
  readonly kind: 'network-average';
}

/** Averages after the hidden units of each site were matched. */
export interface MatchedFusion extends NetworkTerms {
  readonly kind: 'otfusion' | 'pfnm';
  /** Whether all sites start from the same weights; they do unless given. */
  readonly starts?: 'shared' | 'own';
}

/** How the coordinator minimises Σ n (W − Wᵢ)ᵀFᵢ(W − Wᵢ). */
export type NetworkServer = 'damped' | 'paper' | 'descent';

/** Terms of a fusion by Fisher information. */
export interface FisherTerms extends NetworkTerms {
  /** `damped` unless given. */
  readonly server?: NetworkServer;
  /** Pull towards the average, as a share of the mean information; for `damped` only. */
  readonly damping?: number;
  /** The expectation over the network's own labels, or one drawn label a row (faster, noisy); `expected` unless given. */
  readonly labels?: 'expected' | 'drawn';
}

/** FedFisher with the whole information matrix, its diagonal, or Kronecker factors. */
export interface NetworkFisherFusion extends FisherTerms {
  readonly kind: 'fisher-full' | 'fisher-diagonal' | 'fisher-kfac';
  /** Fewer bits for the same numbers; the coordinator then needs the sites one by one. Not for `fisher-full`. */
  readonly compression?: NetworkCompression;
}

/** How numbers are made smaller before they are sent (FedFisher, Appendix C). */
export interface NetworkCompression {
  /** Bits of a weight and of its information, the sign included; 16 unless given. */
  readonly bits?: number;
  /** Bits of a number of a Kronecker factor's vectors; 9 unless given. */
  readonly factorBits?: number;
  /** Vectors kept of a factor; as many as fit into the bits of an average unless given. */
  readonly rank?: number;
  /** Sizes to the nearest level (as the paper's code, the default), or to the next larger one (as it prints). */
  readonly rounding?: 'round' | 'ceil';
}

/** Weights averaged by their diagonal information, number by number. */
export interface FisherMergeFusion extends NetworkTerms {
  readonly kind: 'fisher-merge';
  readonly labels?: FisherTerms['labels'];
}

/** Every layer by least squares on its inputs at each site. */
export interface RegmeanFusion extends NetworkTerms {
  readonly kind: 'regmean';
  /** Factor of the off-diagonal products; 0.9 unless given. */
  readonly shrink?: number;
}

/** A network that learns what the sites' networks say of generated inputs. */
export interface DenseFusion extends NetworkTerms {
  readonly kind: 'dense';
  readonly distillation?: Distillation;
}

/** Any fusion of networks. */
export type NetworkFusion =
  | NetworkAverageFusion
  | MatchedFusion
  | NetworkFisherFusion
  | FisherMergeFusion
  | RegmeanFusion
  | DenseFusion;

declare module '../study/study.ts' {
  interface Fusions {
    readonly 'network-average': NetworkAverageFusion;
    readonly otfusion: MatchedFusion;
    readonly pfnm: MatchedFusion;
    readonly 'fisher-full': NetworkFisherFusion;
    readonly 'fisher-diagonal': NetworkFisherFusion;
    readonly 'fisher-kfac': NetworkFisherFusion;
    readonly 'fisher-merge': FisherMergeFusion;
    readonly regmean: RegmeanFusion;
    readonly dense: DenseFusion;
  }
}
