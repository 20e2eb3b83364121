import { FailureError } from './failure.ts';
import type { Option } from './option.ts';

/** A mistake in how something was called. */
export class UsageError extends FailureError {
  constructor(problem: string, remedy: string, option?: Option) {
    super('usage', { problem, remedy, option });
    this.name = 'UsageError';
  }
}
