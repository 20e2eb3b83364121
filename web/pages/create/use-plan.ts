import { useEffect, useRef, useState } from 'preact/hooks';
import type { Codebook } from '../../../src/study/codebook.ts';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import { sentence } from '../../ui/notice.tsx';
import { call } from '../../worker/call.ts';
import { emptyPlan, type StudyPlan, writtenOut } from '../../worker/plan.ts';
import type { CheckedPlan } from '../../worker/plan-check.ts';
import { forgetPlan, keepPlan, keptPlan } from './kept-plan.ts';

/** The plan of the form, checked after every change. */
export interface Planning {
  readonly plan: StudyPlan;
  /** The result of the last check. */
  readonly checked?: CheckedPlan;
  /** Whether the last check is of the present plan. */
  readonly current: boolean;
  /** Columns of the last valid formula. */
  readonly codebook: Codebook;
  readonly failure?: PageFailure;
  /** Changes the study. */
  change(part: Partial<StudyPlan>): void;
  /** Changes the plan as it is when the change is applied, which may be later. */
  revise(change: (plan: StudyPlan) => StudyPlan): void;
  /** Changes sites and invitations, which are not part of the study. */
  arrange(part: Partial<Pick<StudyPlan, 'sites' | 'draft' | 'expires'>>): void;
  replace(plan: StudyPlan): void;
  /** Text about the problem of a field. */
  problemOf(field: string): string | undefined;
  /** From now on, empty fields show their problems too. */
  insist(): void;
}

const PAUSE = 150;

export function usePlan(): Planning {
  const [plan, setPlan] = useState(keptPlan);
  const [outcome, setOutcome] = useState<{
    readonly plan: StudyPlan;
    readonly checked: CheckedPlan;
  }>();
  const [failure, setFailure] = useState<PageFailure>();
  const [insistent, setInsistent] = useState(false);
  const codebook = useRef<Codebook>({});
  useEffect(() => {
    let wanted = true;
    const check = async () => {
      try {
        const checked = await call('reviewPlan', [plan]);
        if (!wanted) return;
        const readable = !checked.problems.some(({ field }) => field === 'formula');
        if (readable || plan.codebook === 'written') codebook.current = checked.codebook;
        setFailure(undefined);
        setOutcome({ plan, checked });
      } catch (error) {
        if (wanted) setFailure(pageFailureOf(error));
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
    // The codebook may have changed since the last save.
    addEventListener('pagehide', keep);
    return () => removeEventListener('pagehide', keep);
  }, [plan, outcome]);
  return {
    plan,
    checked: outcome?.checked,
    current: outcome?.plan === plan && failure === undefined,
    codebook: codebook.current,
    failure,
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
