import { audit } from '../disclosure/audit.ts';
import { factsCollector } from '../disclosure/facts-collector.ts';
import { leverageMeter } from '../disclosure/leverage.ts';
import { type Standard, thresholdsOf } from '../disclosure/profile.ts';
import type { Audit } from '../disclosure/rule.ts';
import { modelColumns, summaryOf, type Target } from './site-rows.ts';

/** What the rules a site has by default say of a first release of these rows. */
export function defaultAudit(target: Target): Audit {
  const { design, layout, block } = target;
  const { statistic } = summaryOf(target, block);
  const columns = modelColumns(target, block);
  const facts = factsCollector(layout, design.terms);
  facts.add(block.rows, columns);
  const meter = leverageMeter(statistic);
  meter.add(block.rows, columns);
  const evidence = {
    statistic,
    facts: facts.finish(),
    terms: design.terms,
    leverage: meter.finish().largest,
  };
  return audit(evidence, thresholdsOf(undefined) as Standard);
}
