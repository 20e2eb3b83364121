/** How far each site moves the model: b − b without it, in standard errors of b. */
export interface Influence {
  readonly about: 'influence';
  readonly terms: readonly string[];
  readonly sites: readonly {
    readonly site: string;
    readonly n: number;
    /** Over the terms; null where the model without the site cannot tell. */
    readonly changes: readonly (number | null)[];
    readonly largest: { readonly term: string; readonly change: number };
    /** Cook's distance of the site: Δbᵀ Var(b)⁻¹ Δb / p. */
    readonly cook: number;
  }[];
}
