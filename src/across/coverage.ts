/** Which directions of the columns the sites cover, and what is lost where they do not. */
export interface Coverage {
  readonly about: 'coverage';
  /** Smallest eigenvalue of the pooled correlation matrix (columns of unit SD, per row): the paper's α over n. */
  readonly alpha: number;
  readonly sites: readonly {
    readonly site: string;
    readonly n: number;
    /** Smallest eigenvalue of the site's own matrix, in the same units. */
    readonly alpha: number;
    /** Directions the site covers at all. */
    readonly rank: number;
  }[];
  /** Directions of which one site holds nearly all the information. */
  readonly alone: readonly {
    readonly site: string;
    /** Share of the direction's information that is the site's. */
    readonly share: number;
    /** The direction, per SD of the columns; largest weights first. */
    readonly direction: readonly { readonly term: string; readonly weight: number }[];
  }[];
  /** ‖b − b*‖ ≤ bias·‖b*‖ + noise with the given confidence (mathematics §8), in SD units. */
  readonly bound: {
    readonly confidence: number;
    readonly bias: number;
    readonly noise: number;
  };
}
