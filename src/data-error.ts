import { FailureError, type Place } from './failure.ts';
import type { Option } from './option.ts';

/**
 * Input that cannot be used as it stands: says where, what rule it breaks and what to do.
 * Never carries the value itself: messages travel to logs and terminals, rows do not.
 */
export class DataError extends FailureError {
  declare readonly place: Place;

  constructor(problem: string, place: Place, remedy: string, option?: Option) {
    super('data', { problem, remedy, place, option });
    this.name = 'DataError';
  }
}
