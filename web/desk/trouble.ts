import type { Audit, RuleId } from '../../src/disclosure/rule.ts';
import type { Failure } from '../../src/failure.ts';
import type { Mismatch } from '../../src/protocol/messages.ts';

/** Why something was not done, as a page can show it: what is wrong, where, and what would help. */
export interface Trouble extends Failure {
  readonly kind: 'data' | 'mismatch' | 'audit' | 'refusal' | 'network' | 'cancelled' | 'unexpected';
  /** Of a refusal of the coordinator. */
  readonly code?: string;
  /** Columns that do not fit the study; `otherDecimal` where the other decimal mark would explain it. */
  readonly mismatches?: readonly (Mismatch & { readonly otherDecimal?: boolean })[];
  /** Of a file that the disclosure rules refuse. */
  readonly audit?: Audit;
  readonly rules?: readonly RuleId[];
}

/** Of a page that did not come whole: what browsers say of it is an address, which helps nobody. */
export const unloaded: Trouble = {
  kind: 'network',
  problem: 'a part of this page could not be loaded',
  remedy: 'check the connection and reload the page',
};

/** What a call to the desk rejects with. */
export class DeskTrouble extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.problem);
    this.name = 'DeskTrouble';
    this.trouble = trouble;
  }
}

/** Any failure as a trouble. */
export function troubleOf(failure: unknown): Trouble {
  if (failure instanceof DeskTrouble) return failure.trouble;
  const problem = failure instanceof Error ? failure.message : String(failure);
  return { kind: 'unexpected', problem, remedy: 'reload the page and try again' };
}
