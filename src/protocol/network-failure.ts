/** The other side could not be reached, or did not answer as a coordinator would. */
export class NetworkFailure extends Error {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.name = 'NetworkFailure';
    this.remedy = remedy;
  }
}
