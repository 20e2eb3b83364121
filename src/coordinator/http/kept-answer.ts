/**
 * A function whose answer is kept for some milliseconds: callers within that time share one call. A failure is not kept.
 */
export function keptAnswer<T>(
  ask: () => Promise<T>,
  milliseconds: number,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let kept: { readonly answer: Promise<T>; readonly until: number } | undefined;
  return () => {
    if (kept !== undefined && now() < kept.until) return kept.answer;
    const answer = ask();
    const own = { answer, until: now() + milliseconds };
    kept = own;
    answer.catch(() => {
      if (kept === own) kept = undefined;
    });
    return answer;
  };
}
