import { defined } from '../defined.ts';
import { audit } from '../disclosure/audit.ts';
import { factsCollector } from '../disclosure/facts-collector.ts';
import { leverageCounter } from '../disclosure/leverage.ts';
import { type Standard, thresholdsOf } from '../disclosure/profile.ts';
import type { Audit } from '../disclosure/rule.ts';
import { modelColumns, summaryOf, type Target } from './site-rows.ts';

/** The default rules, applied to a first release of these rows. */
export function defaultAudit(target: Target): Audit {
  const { design, layout, block } = target;
  const { statistic } = summaryOf(target, block);
  const columns = modelColumns(target, block);
  const facts = factsCollector(layout, design.terms);
  facts.add(block.rows, columns);
  const leverages = leverageCounter(statistic);
  leverages.add(block.rows, columns);
  const { largest, whole } = leverages.finish();
  const input = {
    statistic,
    facts: facts.finish(),
    terms: design.terms,
    leverage: largest,
    ...defined({ wholeLeverage: whole }),
  };
  return audit(input, thresholdsOf(undefined) as Standard);
}
