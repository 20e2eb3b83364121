import { emptyPlan, type Plan } from '../../desk/plan.ts';

const PLACE = 'suffice plan';

/** What the form held when the tab last showed it: a reload loses nothing but the sample, which is kept nowhere. */
export function keptPlan(): Plan {
  const kept = sessionStorage.getItem(PLACE);
  if (kept === null) return emptyPlan;
  try {
    return { ...emptyPlan, ...JSON.parse(kept) };
  } catch {
    return emptyPlan;
  }
}

/** Keeps it in this tab. */
export function keepPlan(plan: Plan): void {
  sessionStorage.setItem(PLACE, JSON.stringify(plan));
}

export function forgetPlan(): void {
  sessionStorage.removeItem(PLACE);
}
