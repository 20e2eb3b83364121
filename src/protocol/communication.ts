import { entriesOf, isLinear, type Layout } from '../statistic/layout.ts';
import type { SiteStatus, Traffic } from './messages.ts';

/** Bytes of one number of a model on the wire: float64, as in the paper's tables. */
const NUMBER_BYTES = 8;

/** Rounds a comparison is made for unless others are asked for. */
export const usualRounds: readonly number[] = [100, 200];

/** Coefficients of the study's model, intercept included, over all responses; all numbers of another statistic. */
export function parametersOf(layout: Layout): number {
  if (!isLinear(layout)) return entriesOf(layout);
  const { columns, responses, intercept } = layout;
  return (columns.length - responses - (intercept ? 0 : 1)) * responses;
}

/**
 * What FedAvg would send for one site: the whole model up and down in every round (arXiv
 * 2601.08216, Theorem 4). Bare numbers: headers, handshakes and retries would come on top.
 */
export function fedAvgBytes(parameters: number, rounds: number): Traffic {
  const bytes = parameters * rounds * NUMBER_BYTES;
  return { up: bytes, down: bytes };
}

/**
 * The first number of rounds at which FedAvg moves more bytes, up and down together, than `bytes`.
 * With the paper's d(d+1)/2 + 2d numbers of 8 bytes this is Corollary 2: R > (d + 5) / 4.
 */
export function crossoverRounds(parameters: number, bytes: number): number {
  return Math.floor(bytes / (2 * NUMBER_BYTES * parameters)) + 1;
}

/** What FedAvg would need for some rounds. */
export interface FedAvgLine extends Traffic {
  readonly rounds: number;
}

/** One site's traffic beside FedAvg's for the same model. */
export interface SiteCommunication extends Traffic {
  readonly site: string;
}

/** The bytes of a study as measured, beside what FedAvg would need at least. */
export interface Communication {
  /** Numbers of the model. */
  readonly parameters: number;
  readonly sites: readonly SiteCommunication[];
  readonly total: Traffic;
  /** FedAvg for one site. */
  readonly fedAvg: readonly FedAvgLine[];
  /** FedAvg for all sites that have sent anything. */
  readonly fedAvgTotal: readonly FedAvgLine[];
  /** Rounds from which FedAvg costs more than the dearest site here; absent before any traffic. */
  readonly crossover?: number;
}

/** The meter of a study: a site counts for FedAvg once it has contributed. */
export function communication(
  layout: Layout,
  sites: readonly SiteStatus[],
  rounds: readonly number[] = usualRounds,
): Communication {
  const parameters = parametersOf(layout);
  const lines = sites.map(({ name, traffic }) => ({
    site: name,
    up: traffic.up,
    down: traffic.down,
  }));
  const sum = (part: (line: Traffic) => number) => lines.reduce((s, line) => s + part(line), 0);
  const contributed = sites.filter(({ n }) => n !== undefined).length;
  const fedAvg = rounds.map((count) => ({ rounds: count, ...fedAvgBytes(parameters, count) }));
  const dearest = Math.max(0, ...lines.map(({ up, down }) => up + down));
  return {
    parameters,
    sites: lines,
    total: { up: sum(({ up }) => up), down: sum(({ down }) => down) },
    fedAvg,
    fedAvgTotal: fedAvg.map(({ rounds: count, up, down }) => ({
      rounds: count,
      up: up * contributed,
      down: down * contributed,
    })),
    ...(dearest > 0 ? { crossover: crossoverRounds(parameters, dearest) } : {}),
  };
}
