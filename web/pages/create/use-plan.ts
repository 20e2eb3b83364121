import { useEffect, useRef, useState } from 'preact/hooks';
import type { Codebook } from '../../../src/study/codebook.ts';
import { ask } from '../../desk/call.ts';
import { emptyPlan, type Plan, writtenOut } from '../../desk/plan.ts';
import type { CheckedPlan } from '../../desk/plan-check.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';
import { sentence } from '../../ui/notice.tsx';
import { forgetPlan, keepPlan, keptPlan } from './kept-plan.ts';

/** A plan that is checked while it is written. */
export interface Planning {
  readonly plan: Plan;
  /** What it came to when it was last checked. */
  readonly checked?: CheckedPlan;
  /** Whether that is about the plan as it stands. */
  readonly current: boolean;
  /** Columns of the last formula that could be read. */
  readonly codebook: Codebook;
  readonly trouble?: Trouble;
  /** Changes the study. */
  change(part: Partial<Plan>): void;
  /** Changes it as it stands when the change comes, which may be long after it was asked for. */
  revise(change: (plan: Plan) => Plan): void;
  /** Changes what is no part of the study: sites and invitations. */
  arrange(part: Partial<Pick<Plan, 'sites' | 'draft' | 'expires'>>): void;
  replace(plan: Plan): void;
  /** What is wrong with a field, in words. */
  problemOf(field: string): string | undefined;
  /** From now on what is missing is told too. */
  insist(): void;
}

const PAUSE = 150;

export function usePlan(): Planning {
  const [plan, setPlan] = useState(keptPlan);
  const [outcome, setOutcome] = useState<{ readonly plan: Plan; readonly checked: CheckedPlan }>();
  const [trouble, setTrouble] = useState<Trouble>();
  const [insistent, setInsistent] = useState(false);
  const codebook = useRef<Codebook>({});
  useEffect(() => {
    let wanted = true;
    const check = async () => {
      try {
        const checked = await ask('checkPlan', [plan]);
        if (!wanted) return;
        const readable = !checked.problems.some(({ field }) => field === 'formula');
        if (readable || plan.codebook === 'written') codebook.current = checked.codebook;
        setTrouble(undefined);
        setOutcome({ plan, checked });
      } catch (failure) {
        if (wanted) setTrouble(troubleOf(failure));
      }
    };
    const timer = setTimeout(check, PAUSE);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [plan]);
  useEffect(() => {
    const keep = () => {
      if (plan === emptyPlan) forgetPlan();
      else keepPlan(writtenOut(plan, codebook.current));
    };
    keep();
    // By then the codebook may have grown.
    addEventListener('pagehide', keep);
    return () => removeEventListener('pagehide', keep);
  }, [plan, outcome]);
  return {
    plan,
    checked: outcome?.checked,
    current: outcome?.plan === plan && trouble === undefined,
    codebook: codebook.current,
    trouble,
    change: (part) => setPlan(({ loaded: _, ...before }) => ({ ...before, ...part })),
    revise: (change) => setPlan(({ loaded: _, ...before }) => change(before)),
    arrange: (part) => setPlan((before) => ({ ...before, ...part })),
    replace: setPlan,
    problemOf(field) {
      const found = outcome?.checked.problems.find((one) => one.field === field);
      if (found === undefined || (found.untouched === true && !insistent)) return undefined;
      return `${sentence(found.problem)} ${sentence(found.remedy)}`;
    },
    insist: () => setInsistent(true),
  };
}
