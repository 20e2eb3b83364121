import { isLinear, type Layout } from '../statistic/layout.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { SiteStatus, Traffic } from './messages.ts';

/** Bytes of one number of a model on the wire: float64, as in the paper's tables. */
const NUMBER_BYTES = 8;

/** Rounds a comparison is made for unless others are asked for. */
export const usualRounds: readonly number[] = [100, 200];

/** Coefficients of a regression, intercept included, over all responses; undefined where the layout is of another model. */
export function parametersOf(layout: LinearLayout): number;
export function parametersOf(layout: Layout): number | undefined;
export function parametersOf(layout: Layout): number | undefined {
  if (!isLinear(layout)) return undefined;
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

/** What FedAvg would need for a model of some parameters; nothing can be said where they are not known. */
export function fedAvgLines(
  parameters: number | undefined,
  rounds: readonly number[] = usualRounds,
): FedAvgLine[] {
  if (parameters === undefined) return [];
  return rounds.map((count) => ({ rounds: count, ...fedAvgBytes(parameters, count) }));
}

/** One site's traffic beside FedAvg's for the same model. */
export interface SiteCommunication extends Traffic {
  readonly site: string;
}

/** The bytes of a study as measured, beside what FedAvg would need at least. */
export interface Communication {
  /** Numbers of the model; absent where they are not known, and with them the comparison. */
  readonly parameters?: number;
  readonly sites: readonly SiteCommunication[];
  readonly total: Traffic;
  /** FedAvg for one site; none where its model is not known. */
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
  const fedAvg = fedAvgLines(parameters, rounds);
  const dearest = Math.max(0, ...lines.map(({ up, down }) => up + down));
  return {
    ...(parameters === undefined ? {} : { parameters }),
    sites: lines,
    total: { up: sum(({ up }) => up), down: sum(({ down }) => down) },
    fedAvg,
    fedAvgTotal: fedAvg.map(({ rounds: count, up, down }) => ({
      rounds: count,
      up: up * contributed,
      down: down * contributed,
    })),
    ...(dearest > 0 && parameters !== undefined
      ? { crossover: crossoverRounds(parameters, dearest) }
      : {}),
  };
}
