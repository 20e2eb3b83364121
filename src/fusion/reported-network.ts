import { networkMap } from '../features/network-map.ts';
import type { NetworkFeature } from '../features/network-terms.ts';
import { hiddenWeights } from '../features/network-terms.ts';
import type { Report } from '../model/report.ts';
import { reportedMap } from '../model/reported-map.ts';
import { hiddenPlan } from '../network/hidden-plan.ts';
import type { Network } from '../network/network.ts';
import { planNetwork } from '../network/network-plan.ts';
import type { NetworkStudy } from './network-study.ts';

/** The network of a report with all its weights; undefined where the report is that of another method. */
export function reportedNetwork(
  { inputs, answers }: NetworkStudy,
  report: Report,
): { readonly network: Network; readonly weights: Float32Array } | undefined {
  const reported = reportedMap(report);
  if (reported?.map.kind !== networkMap.kind) return undefined;
  const terms = reported.terms as NetworkFeature;
  const { network } = terms;
  const plan = planNetwork(network, inputs.shape, answers.outputs);
  const weights = new Float32Array(plan.weights);
  weights.set(hiddenWeights(terms, hiddenPlan(network, inputs.shape)));
  const { start, columns, bias } = plan.blocks[plan.blocks.length - 1];
  const responses = report.responses ?? [{ terms: report.terms ?? [] }];
  // A comparison has one response and two outputs, of which the first then is 0.
  const first = answers.outputs - responses.length;
  responses.forEach(({ terms: rows }, r) => {
    const { center, scale } = answers.units[first + r];
    const slopes = rows.filter(({ term }) => term !== '(Intercept)');
    const constant = rows.find(({ term }) => term === '(Intercept)')?.estimate ?? center;
    const row = weights.subarray(start + (first + r) * columns, start + (first + r + 1) * columns);
    slopes.forEach(({ estimate }, k) => {
      row[k] = estimate / scale;
    });
    if (bias) row[columns - 1] = (constant - center) / scale;
  });
  return { network, weights };
}
