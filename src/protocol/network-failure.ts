import { FailureError } from '../failure.ts';

/** The other side could not be reached, or did not answer as a coordinator would. */
export class NetworkFailure extends FailureError {
  constructor(problem: string, remedy: string) {
    super('network', { problem, remedy });
    this.name = 'NetworkFailure';
  }
}
