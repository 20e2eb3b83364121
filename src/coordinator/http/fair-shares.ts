import type { Caller } from '../coordinator.ts';
import { TooMany } from './authenticate.ts';

/** Most at the same time: of one token, of all tokens of a study, and of everybody. */
export interface MostAtOnce {
  readonly token: number;
  readonly study: number;
  readonly all: number;
}

/** Lets each token and each study have its part of something, so that none can take all. */
export interface FairShares {
  /** Takes one for the caller and returns how to give it back; throws `TooMany` if the caller has its part already. */
  take(caller: Caller): () => void;
  /** How many are taken. */
  readonly taken: number;
}

const WAIT_SECONDS = 5;

export function createFairShares({ token, study, all }: MostAtOnce): FairShares {
  const used = new Map<string, number>();
  let taken = 0;
  const change = (key: string, by: number): void => {
    const now = (used.get(key) ?? 0) + by;
    if (now === 0) used.delete(key);
    else used.set(key, now);
  };
  return {
    take(caller) {
      const limits = caller.role === 'operator' ? [] : partsOf(caller, token, study);
      const full = taken >= all || limits.some(([key, most]) => (used.get(key) ?? 0) >= most);
      if (full) throw new TooMany(WAIT_SECONDS);
      taken += 1;
      for (const [key] of limits) change(key, 1);
      let back = false;
      return () => {
        if (back) return;
        back = true;
        taken -= 1;
        for (const [key] of limits) change(key, -1);
      };
    },
    get taken() {
      return taken;
    },
  };
}

/** The operator is trusted; an analyst and a site each have a part, and a part of their study's. */
function partsOf(
  caller: Exclude<Caller, { readonly role: 'operator' }>,
  token: number,
  study: number,
): (readonly [string, number])[] {
  if (caller.role === 'open') return [[caller.study, study]]; // many devices hold it
  const holder = caller.role === 'site' ? `site ${caller.site}` : 'analyst';
  return [
    [caller.study, study],
    [`${caller.study} ${holder}`, token],
  ];
}
