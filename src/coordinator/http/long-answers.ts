import type { OperationName } from '../../protocol/operations.ts';
import type { Caller } from '../coordinator.ts';
import { createOneByOne } from '../one-by-one.ts';

/** Operations whose answer may be long, and is signed or added up anew each time. */
const LONG: ReadonlySet<string> = new Set<OperationName>([
  'auditLog',
  'receipts',
  'resolutions',
  'total',
]);
/** Long answers that a caller may wait for; a page asks a few at once. */
const MOST_WAITING = 8;

/** Gives each caller its long answers one by one, so that a caller who asks for many does not hold up others. */
export interface LongAnswers {
  /** Runs an operation, long or not. The operator is trusted, and does not wait. */
  run<T>(operation: string, caller: Caller, work: () => Promise<T>): Promise<T>;
}

export function createLongAnswers(): LongAnswers {
  const lines = createOneByOne(MOST_WAITING);
  return {
    async run(operation, caller, work) {
      if (!LONG.has(operation) || caller.role === 'operator') return work();
      const holder = caller.role === 'site' ? `site ${caller.site}` : 'analyst';
      return lines.run(`${caller.study} ${holder}`, async () => {
        await new Promise((resolve) => setTimeout(resolve)); // others have their turn
        return work();
      });
    },
  };
}
