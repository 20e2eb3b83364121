import type { Sealed } from './signature.ts';

/** What sites agree on before and after their masked contributions, in order. */
export const maskStageNames = ['keys', 'shares', 'contributions', 'survivors', 'reveals'] as const;

export type MaskStageName = (typeof maskStageNames)[number];

/** A site's keys for one study, made for it alone. The site signs them with its key of the roster. */
export interface MaskKeys {
  readonly schema: 'suffice/mask-keys@1';
  readonly study: string;
  readonly site: string;
  /** X25519 public key: other sites encrypt shares to it. */
  readonly box: string;
  /** X25519 public key: masks of pairs are made with it. */
  readonly pair: string;
  /** SHA-256 of the seed of the site's own mask: a wrong share of it is noticed. */
  readonly own: string;
}

/** The shares of a site's two secrets, one text for each neighbour, which alone can decrypt it. */
export interface MaskShares {
  readonly schema: 'suffice/mask-shares@1';
  readonly study: string;
  readonly site: string;
  /** Digest of the sites with keys, and of the keys. */
  readonly graph: string;
  readonly shares: Readonly<Record<string, string>>;
}

/** A site's word on who takes part: it has been shown this view, and will be shown no other. */
export interface MaskSurvivors {
  readonly schema: 'suffice/mask-survivors@1';
  readonly study: string;
  readonly site: string;
  /** Digest of the graph, of the sites that sent shares, and of those that contributed. */
  readonly view: string;
}

/** For each neighbour one share: of its own mask if it contributed, of its key for pairs if it did not. Never both. */
export interface MaskReveals {
  readonly schema: 'suffice/mask-reveals@1';
  readonly study: string;
  readonly site: string;
  readonly view: string;
  readonly own: Readonly<Record<string, string>>;
  readonly pair: Readonly<Record<string, string>>;
}

export type SealedMaskKeys = Sealed<MaskKeys>;
export type SealedMaskShares = Sealed<MaskShares>;
export type SealedMaskSurvivors = Sealed<MaskSurvivors>;
export type SealedMaskReveals = Sealed<MaskReveals>;

/** One message of a site about masks, signed with its key of the roster. */
export type MaskMessage =
  | SealedMaskKeys
  | SealedMaskShares
  | SealedMaskSurvivors
  | SealedMaskReveals;

/** The stage of a message. */
export const stageOfMessage: Readonly<Record<MaskMessage['schema'], MaskStageName>> = {
  'suffice/mask-keys@1': 'keys',
  'suffice/mask-shares@1': 'shares',
  'suffice/mask-survivors@1': 'survivors',
  'suffice/mask-reveals@1': 'reveals',
};

/** The sites that sent keys, and what one of them needs of the keys. Sets of sites are bits in order of the roster's names. */
export interface MaskGraphPart {
  readonly present: string;
  /** Root of the Merkle tree over all keys. */
  readonly root: string;
  /** Proof that the site's own keys are in the tree. */
  readonly path: readonly string[];
  /** Keys of the site's neighbours. */
  readonly keys: readonly SealedMaskKeys[];
}

/** The sites that sent shares, and the shares for one of them, by sender. */
export interface MaskSharesPart {
  readonly present: string;
  readonly shares: Readonly<Record<string, string>>;
}

/** What a site needs of one stage. The part of a stage is there once the stage is over. */
export interface MaskStage {
  readonly schema: 'suffice/mask-stage@1';
  readonly stage: MaskStageName;
  /** Sites whose message of this stage has arrived, and sites that are expected. */
  readonly arrived: number;
  readonly expected: number;
  /** Of `keys`. */
  readonly graph?: MaskGraphPart;
  /** Of `shares`. */
  readonly dealt?: MaskSharesPart;
  /** Of `contributions`: the sites in the total. */
  readonly survivors?: string;
  /** Of `survivors`: what the site's neighbours have signed so far. */
  readonly signed?: readonly SealedMaskSurvivors[];
}
