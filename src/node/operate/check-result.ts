/** What one check found. */
export interface CheckResult {
  /** What was checked, in a word or two. */
  readonly check: string;
  /** `warning`: it works, but look at it. `problem`: something does not work, or is not safe. */
  readonly state: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** Complete by itself: it names no flag. Absent if all is well. */
  readonly remedy?: string;
}

export function ok(check: string, text: string): CheckResult {
  return { check, state: 'ok', text };
}

export function warning(check: string, text: string, remedy: string): CheckResult {
  return { check, state: 'warning', text, remedy };
}

export function problem(check: string, text: string, remedy: string): CheckResult {
  return { check, state: 'problem', text, remedy };
}

/** A difference between two clocks above this is a warning, above the second a problem, in milliseconds. */
const CLOCK_MS = { warning: 5_000, problem: 60_000 };

/** Compares this machine's clock with another one, which may be off by `slack` milliseconds on the way. */
export function clockResult(other: string, ahead: number, slack: number): CheckResult {
  const off = Math.max(0, Math.abs(ahead) - slack);
  const seconds = Math.round(Math.abs(ahead) / 1000);
  const text = `this machine is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} ${other}`;
  const remedy = 'set both clocks by NTP: deadlines and certificates are judged by them';
  if (off > CLOCK_MS.problem) return problem('clock', text, remedy);
  if (off > CLOCK_MS.warning) return warning('clock', text, remedy);
  return ok('clock', `within ${CLOCK_MS.warning / 1000} s of ${other}`);
}
