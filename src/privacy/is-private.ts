import type { Study } from '../study/study.ts';

/** Whether noise protects the rows of a study; for callers that need not know its method. */
export function isPrivate({ privacy }: Pick<Study, 'privacy'>): boolean {
  return privacy !== undefined && privacy !== null;
}
