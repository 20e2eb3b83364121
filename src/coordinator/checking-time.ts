import { Refusal } from '../protocol/refusal.ts';

/** A part of a coordinator's working time: an amount at once, and in the long run a share of each second. */
export interface TimeShare {
  readonly share: number;
  /** In milliseconds. */
  readonly atOnce: number;
}

/** How much of the time for checks of contributions one site may use, and all sites of a study together. */
export interface CheckingShares {
  readonly site: TimeShare;
  readonly study: TimeShare;
}

export const usualCheckingShares: CheckingShares = {
  site: { share: 0.1, atOnce: 10_000 },
  study: { share: 0.5, atOnce: 120_000 },
};

/**
 * Divides the time for checks of contributions. A wide one takes a second in which nobody else is answered, so a site that
 * sends again and again must wait, and others need not.
 */
export interface CheckingTime {
  /** Refuses a site that has used its time, or whose study has. */
  admit(study: string, site: string): void;
  /** Counts the time of a check. */
  spend(study: string, site: string, milliseconds: number): void;
}

/** Most sites and studies whose time is counted; the one that was quiet longest is forgotten. */
const MOST_COUNTED = 10_000;

export function createCheckingTime(
  shares: CheckingShares = usualCheckingShares,
  now: () => number = () => performance.now(),
): CheckingTime {
  const bySite = timeUsed(shares.site, now);
  const byStudy = timeUsed(shares.study, now);
  const siteKey = (study: string, site: string) => `${study} ${site}`;
  return {
    admit(study, site) {
      if (bySite.left(siteKey(study, site)) > 0 && byStudy.left(study) > 0) return;
      throw new Refusal(
        'too-many-requests',
        'contributions came faster than the coordinator may check them for one site or study',
        'wait, then send it again',
      );
    },
    spend(study, site, milliseconds) {
      bySite.spend(siteKey(study, site), milliseconds);
      byStudy.spend(study, milliseconds);
    },
  };
}

function timeUsed({ share, atOnce }: TimeShare, now: () => number) {
  const used = new Map<string, { readonly left: number; readonly at: number }>();
  const left = (key: string): number => {
    const known = used.get(key);
    return known === undefined ? atOnce : Math.min(atOnce, known.left + (now() - known.at) * share);
  };
  const spend = (key: string, milliseconds: number): void => {
    const rest = left(key) - milliseconds;
    used.delete(key);
    used.set(key, { left: rest, at: now() });
    if (used.size > MOST_COUNTED) used.delete(used.keys().next().value as string);
  };
  return { left, spend };
}
