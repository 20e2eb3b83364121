import type { Audit, RuleId } from '../disclosure/rule.ts';
import type { Option } from '../option.ts';
import { Refusal } from '../protocol/refusal.ts';

/** A release that the disclosure audit refuses, and the rules that refuse it. */
export class AuditRefusal extends Refusal {
  readonly audit: Audit;
  readonly rules: readonly RuleId[];

  constructor(
    audit: Audit,
    rules: readonly RuleId[],
    problem: string,
    remedy: string,
    option?: Option,
  ) {
    super('not-allowed', problem, remedy, option);
    this.name = 'AuditRefusal';
    this.audit = audit;
    this.rules = rules;
  }
}
