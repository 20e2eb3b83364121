import { defined } from '../defined.ts';
import type { Design, ResponseClasses } from '../features/design.ts';
import { mappedColumns } from '../features/mapped-columns.ts';
import { networkAnswers } from '../features/network-answers.ts';
import { networkInputs } from '../features/network-inputs.ts';
import { networkMap } from '../features/network-map.ts';
import { networkFeature } from '../features/network-terms.ts';
import { hiddenPlan } from '../network/hidden-plan.ts';
import type { Network } from '../network/network.ts';
import { planNetwork, type WeightBlock } from '../network/network-plan.ts';
import type { TermRow } from './inference.ts';
import { type Report, type ResponseReport, reportedAnswers } from './report.ts';
import type { ReportedClasses } from './reported-classes.ts';
import { mapFacts } from './reported-map.ts';

/** A network with the weights that a study found. */
export interface NetworkFit {
  readonly network: Network;
  /** The design of its rows: no feature map, and categories one-hot. */
  readonly design: Design;
  /** Of all layers, as `planNetwork` arranges them. */
  readonly weights: Float32Array;
  readonly rows: number;
  /** How the sites' networks became this one. */
  readonly fused?: NonNullable<Report['fused']>;
  /** Rows of each level of the response, where the sites gave them. */
  readonly classRows?: readonly number[];
}

/**
 * The public report of a network: a feature map, which is the network without its last layer, and the last layer as a
 * linear model of its columns. Scores of classes become probabilities by softmax; numbers come back to the user's units.
 */
export function createNetworkReport(
  { network, design, weights, rows, classRows, fused }: NetworkFit,
  context: Pick<Report, 'formula' | 'sites' | 'digest' | 'arithmetic' | 'grid'>,
): Report {
  const { columns, shape } = networkInputs(design, network);
  const { units, outputs, loss } = networkAnswers(design);
  const { blocks } = planNetwork(network, shape, outputs);
  const last = blocks[blocks.length - 1];
  const terms = networkFeature(network, hiddenPlan(network, shape), weights);
  const names = mappedColumns(networkMap.apply(design, terms)).map(({ name }) => name);
  const scores = units.map(({ center, scale }, k) => {
    const { slopes, constant } = outputOf(last, weights, k);
    return { slopes: slopes.map((slope) => scale * slope), constant: center + scale * constant };
  });
  const rowsOf = ({ slopes, constant }: Score): TermRow[] => [
    ...(design.intercept ? [{ term: '(Intercept)', estimate: constant }] : []),
    ...names.map((term, k) => ({ term, estimate: slopes[k] })),
  ];
  const answers = responseScores(design, scores).map((score, r): ResponseReport => {
    const { name } = design.columns[design.columns.length - design.responses + r];
    return { response: name, terms: rowsOf(score), glance: { nobs: rows } };
  });
  const [category] = design.classes;
  return {
    schema: 'suffice/report@1',
    formula: context.formula,
    n: rows,
    sites: context.sites,
    ...reportedAnswers(answers),
    ...(loss === 'classes'
      ? { classifier: { kind: 'softmax' }, classes: [softmaxClasses(category, classRows)] }
      : {}),
    ...defined({ fused }),
    ...mapFacts(terms, columns.length),
    arithmetic: context.arithmetic,
    grid: context.grid,
    aliased: [],
    digest: context.digest,
  };
}

/** A linear function of what the last layer takes. */
interface Score {
  readonly slopes: readonly number[];
  readonly constant: number;
}

function outputOf(
  { start, columns, bias }: WeightBlock,
  weights: Float32Array,
  output: number,
): Score {
  const row = weights.subarray(start + output * columns, start + (output + 1) * columns);
  const inputs = bias ? columns - 1 : columns;
  return { slopes: Array.from(row.subarray(0, inputs)), constant: bias ? row[inputs] : 0 };
}

/** One for each response: a comparison has one response and two scores, and their difference decides. */
function responseScores({ responses }: Design, scores: readonly Score[]): readonly Score[] {
  if (scores.length === responses) return scores;
  const [first, second] = scores;
  return [
    {
      slopes: second.slopes.map((slope, k) => slope - first.slopes[k]),
      constant: second.constant - first.constant,
    },
  ];
}

/** Scores are logarithms of the probabilities, up to a number that all classes share. */
function softmaxClasses(
  { label, levels, columns }: ResponseClasses,
  classRows: readonly number[] | undefined,
): ReportedClasses {
  const single = columns.length < levels.length;
  return {
    label,
    levels: levels.map((level, k) => ({
      level,
      ...defined({ n: classRows?.[k] }),
      constant: 0,
      weights: columns.map((_, c) => Number(single ? k === 1 : k === c)),
    })),
  };
}
