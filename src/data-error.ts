import { FailureError, type Place } from './failure.ts';
import type { Option } from './option.ts';

/**
 * Input that cannot be used: where it is, which rule it breaks and what to do.
 * Never contains the value itself: messages go to logs and terminals, rows must not.
 */
export class DataError extends FailureError {
  declare readonly place: Place;

  constructor(problem: string, place: Place, remedy: string, option?: Option) {
    super('data', { problem, remedy, place, option });
    this.name = 'DataError';
  }
}
