import type { Sealed } from './signature.ts';

/** The sites of a refused total, and what is known of each. */
export interface OpeningView {
  /** When the analyst asked the sites to open; absent before. */
  readonly askedAt?: string;
  readonly sites: readonly OpeningLine[];
}

/** A site of a refused total: it has not agreed, has agreed, was opened and cleared, or was opened and named. */
export interface OpeningLine {
  readonly site: string;
  readonly state: 'silent' | 'agreed' | 'cleared' | 'wrong';
  /** What is wrong with its numbers. */
  readonly why?: string;
  /** Its contributions in the total; a site sees its own. */
  readonly contributions?: readonly OpenedContribution[];
}

/** A contribution that may be opened: its number, and the digest of its file. */
export interface OpenedContribution {
  readonly sequence: number;
  readonly digest: string;
}

/** A site's word that the helper may open these contributions to the coordinator. The site signs its canonical JSON. */
export interface SiteOpening {
  readonly schema: 'suffice/opening@1';
  /** Digest of the study. */
  readonly study: string;
  readonly site: string;
  readonly contributions: readonly OpenedContribution[];
}

export type SealedOpening = Sealed<SiteOpening>;

/** A site's word that its contributions may be opened. */
export interface AgreeToOpen {
  readonly opening: SealedOpening;
}
