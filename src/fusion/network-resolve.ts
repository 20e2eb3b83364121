import type { Collected } from '../aggregation/aggregation.ts';
import { type Failure, FailureError, failureOf } from '../failure.ts';
import { createNetworkReport } from '../model/network-report.ts';
import type { Report } from '../model/report.ts';
import type { Resolved } from './method.ts';
import type { NetworkKind, SentNetworks } from './network-kind.ts';
import { NETWORK_BITS, networkSums, segmented } from './network-numbers.ts';
import type { NetworkStudy } from './network-study.ts';
import type { NetworkTerms } from './network-terms.ts';

/** The report of the fused network; or why there is none, with the names of sites whose network is none by itself. */
export function resolveNetworks<Terms extends NetworkTerms & { readonly kind: string }>(
  { total, parts = [] }: Collected,
  { design, plan, inputs }: NetworkStudy,
  kind: NetworkKind<Terms>,
  terms: Terms,
): Resolved | Failure {
  const sum = networkSums(segmented(total));
  if (sum.rows === 0) {
    return { problem: 'there are no rows', remedy: 'wait for a site that has some' };
  }
  const sites = (kind.needs === 'sites' ? parts : [])
    .map(({ site, statistic }) => ({ site, sums: networkSums(segmented(statistic)) }))
    .filter(({ sums }) => sums.rows > 0);
  if (kind.needs === 'sites' && sites.length === 0) {
    return {
      problem: 'the networks of the sites are needed one by one',
      remedy: 'resolve where the contributions are, at the coordinator',
    };
  }
  const reported = (sent: SentNetworks): Report | Failure =>
    orFailure(() => {
      const fused = kind.fuse(sent, terms.network, plan, terms, inputs.intervals);
      if ('problem' in fused) return fused;
      const weights = Float32Array.from(fused.weights);
      if (!weights.every(Number.isFinite)) return notFinite;
      const { network } = fused;
      const fit = { design, network, weights, rows: sent.total.rows };
      return createNetworkReport(
        { ...fit, fused: { kind: terms.kind, text: kind.text(terms) } },
        {
          ...{ formula: '', sites: [], digest: '' },
          ...{ arithmetic: total.layout.arithmetic, grid: NETWORK_BITS },
        },
      );
    });
  const report = reported({ total: sum, sites: sites.map(({ sums }) => sums) });
  if (!('problem' in report))
    return { models: [], report: (context) => ({ ...report, ...context }) };
  const alone = sites.filter(({ sums }) => 'problem' in reported({ total: sums, sites: [sums] }));
  return alone.length === 0
    ? report
    : { ...report, problem: `${report.problem} (${alone.map(({ site }) => site).join(', ')})` };
}

const notFinite: Failure = {
  problem: 'the fused network has a weight that is not finite',
  remedy: 'ask the sites for smaller steps, or choose another server',
};

/** What sites sent can be anything: a calculation that breaks on it says so, and does not stop the coordinator. */
function orFailure<T>(work: () => T | Failure): T | Failure {
  try {
    return work();
  } catch (error) {
    if (error instanceof FailureError) return failureOf(error);
    return {
      problem: 'the networks of the sites cannot be fused: their numbers fit no network',
      remedy: 'leave out the site that sent them, or choose network-average',
    };
  }
}
