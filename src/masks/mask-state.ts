import { defined } from '../defined.ts';
import type { SealedMaskReveals, SealedMaskShares } from '../protocol/mask-messages.ts';
import { newNonce } from '../random/nonce.ts';
import { boundedJson } from '../text/bounded-json.ts';

/** A neighbour's public keys. */
export interface NeighbourKeys {
  readonly box: string;
  readonly pair: string;
}

/** The shares that a site holds of a neighbour's two secrets. */
export interface HeldShares {
  readonly own: string;
  readonly pair: string;
}

/**
 * What a site keeps of its masks, as JSON. It is stored before each message is sent, so that a killed process goes on with the same
 * words. It has secrets: it never leaves the site.
 */
export interface MaskState {
  readonly schema: 'suffice/mask-state@1';
  readonly study: string;
  readonly site: string;
  readonly secrets: { readonly box: string; readonly pair: string; readonly own: string };
  /** After the stage of keys. */
  readonly graph?: {
    readonly digest: string;
    readonly threshold: number;
    readonly present: string;
    readonly neighbours: Readonly<Record<string, NeighbourKeys>>;
    readonly message: SealedMaskShares;
  };
  /** After the stage of shares: who sent any, and those that could be decrypted. */
  readonly dealt?: {
    readonly present: string;
    readonly held: Readonly<Record<string, HeldShares>>;
  };
  /** Once the mask is used: it hides one contribution. */
  readonly used?: true;
  /** What the site has signed. It signs no other view. */
  readonly view?: { readonly digest: string; readonly survivors: string };
  /** The shares that the site gives out. It gives out no others. */
  readonly reveals?: SealedMaskReveals;
  /** Once the coordinator has them: the secrets are erased. */
  readonly done?: true;
}

/** The state of a site that has sent nothing yet. */
export function newMaskState(study: string, site: string): MaskState {
  const secrets = { box: newNonce(), pair: newNonce(), own: newNonce() };
  return { schema: 'suffice/mask-state@1', study, site, secrets };
}

export function maskStateText(state: MaskState): string {
  return JSON.stringify(state);
}

/** The state in a text of the site's own store; undefined if it is of another study or site, or damaged. */
export function maskStateIn(text: string, study: string, site: string): MaskState | undefined {
  try {
    const state = boundedJson(text) as MaskState;
    const mine = state.study === study && state.site === site;
    return mine && state.schema === 'suffice/mask-state@1' ? state : undefined;
  } catch {
    return undefined;
  }
}

/** The state of a site that has done its part: without its secrets and the shares of others. */
export function spent({ schema, study, site, view }: MaskState): MaskState {
  const secrets = { box: '', pair: '', own: '' };
  return { schema, study, site, secrets, used: true, done: true, ...defined({ view }) };
}
