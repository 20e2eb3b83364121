import { defined } from '../defined.ts';
import type { Failure } from '../failure.ts';
import { weightText } from '../network/weight-text.ts';
import { digestJson } from '../study/digest.ts';
import type { Fusion, ResolutionName, TableStudy } from '../study/study.ts';
import { headStudy } from './head-repair.ts';
import type { Method, StartingPoint } from './method.ts';
import type { NetworkStudy } from './network-study.ts';
import type { NetworkTerms } from './network-terms.ts';
import { reportedNetwork } from './reported-network.ts';

/** The further rounds of a fusion of networks: training goes on from the fused network, then the last layer is fitted exactly. */
export function networkRounds(
  study: TableStudy,
  terms: NetworkTerms,
  known: NetworkStudy,
): Pick<Method, 'rounds' | 'start'> {
  const { rounds = 1, head } = terms;
  const start = startOf(terms);
  return {
    rounds: {
      planned: rounds - 1 + (head === undefined ? 0 : 1),
      beyondPlan: true,
      text:
        terms.at === undefined
          ? 'sites train a network and send it'
          : 'sites train on from the weights of the study, and send their network',
      next: (report, from) =>
        rounds === 1 && head !== undefined
          ? (headStudy(study, report) as TableStudy)
          : nextTraining(study, terms, reportedNetwork(known, report), from),
    },
    ...defined({ start }),
  };
}

/** The study of one more training from the network of a report. */
function nextTraining(
  study: TableStudy,
  { rounds = 1, from: _, ...terms }: NetworkTerms,
  fused: ReturnType<typeof reportedNetwork>,
  from?: ResolutionName,
): TableStudy | Failure {
  if (fused === undefined) {
    return { problem: 'the report has no network', remedy: 'give the model of this study' };
  }
  const fusion = {
    ...terms,
    network: fused.network,
    at: weightText(fused.weights),
    ...defined({ from, rounds: rounds > 2 ? rounds - 1 : undefined }),
  };
  return { ...study, fusion: fusion as NetworkTerms as unknown as Fusion };
}

function startOf({ at, from }: NetworkTerms): StartingPoint | undefined {
  if (at === undefined) return undefined;
  const digest = digestJson(at);
  return {
    at: digest,
    ...defined({ from }),
    ...{ decides: 'training', noun: 'weights', text: `weights ${digest}` },
  };
}
