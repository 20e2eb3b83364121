import { forget, recall, remember } from '../../tab/tab-memory.ts';
import { emptyPlan, type StudyPlan } from '../../worker/plan.ts';

const PLACE = 'suffice plan';

/** The form as the tab last showed it. A reload loses only the sample, which is stored nowhere. */
export function keptPlan(): StudyPlan {
  const kept = recall(PLACE);
  if (kept === undefined) return emptyPlan;
  try {
    const plan: StudyPlan = { ...emptyPlan, ...JSON.parse(kept) };
    return { ...plan, method: { ...emptyPlan.method, ...plan.method } };
  } catch {
    return emptyPlan;
  }
}

/** Stores the form in this tab. */
export function keepPlan(plan: StudyPlan): void {
  remember(PLACE, JSON.stringify(plan));
}

export function forgetPlan(): void {
  forget(PLACE);
}
