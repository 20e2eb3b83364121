import { FailureError } from '../failure.ts';

/** The coordinator could not be reached, or the answer is not that of a coordinator. */
export class NetworkFailure extends FailureError {
  constructor(problem: string, remedy: string) {
    super('network', { problem, remedy });
    this.name = 'NetworkFailure';
  }
}
