import { forget, recall, remember } from '../../app/tab-memory.ts';
import { emptyPlan, type Plan } from '../../desk/plan.ts';

const PLACE = 'suffice plan';

/** What the form held when the tab last showed it: a reload loses nothing but the sample, which is kept nowhere. */
export function keptPlan(): Plan {
  const kept = recall(PLACE);
  if (kept === undefined) return emptyPlan;
  try {
    return { ...emptyPlan, ...JSON.parse(kept) };
  } catch {
    return emptyPlan;
  }
}

/** Keeps it in this tab. */
export function keepPlan(plan: Plan): void {
  remember(PLACE, JSON.stringify(plan));
}

export function forgetPlan(): void {
  forget(PLACE);
}
