import { defined } from '../defined.ts';
import { isLinear, type Layout } from '../statistic/layout.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { SiteStatus, Traffic } from './messages.ts';

/** Bytes of one model coefficient sent as float64, as in the paper's tables. */
const NUMBER_BYTES = 8;

/** Default numbers of FedAvg rounds in a comparison. */
export const usualRounds: readonly number[] = [100, 200];

/** Number of coefficients of a regression, with intercept, over all responses; undefined for other models. */
export function parametersOf(layout: LinearLayout): number;
export function parametersOf(layout: Layout): number | undefined;
export function parametersOf(layout: Layout): number | undefined {
  if (!isLinear(layout)) return undefined;
  const { columns, responses, intercept } = layout;
  return (columns.length - responses - (intercept ? 0 : 1)) * responses;
}

/**
 * Traffic of FedAvg for one site: the whole model up and down in every round (arXiv 2601.08216,
 * Theorem 4). Without headers, handshakes and retries.
 */
export function fedAvgBytes(parameters: number, rounds: number): Traffic {
  const bytes = parameters * rounds * NUMBER_BYTES;
  return { up: bytes, down: bytes };
}

/**
 * The smallest number of rounds for which FedAvg needs more than `bytes`, up and down together.
 * With the paper's d(d+1)/2 + 2d numbers of 8 bytes this is Corollary 2: R > (d + 5) / 4.
 */
export function crossoverRounds(parameters: number, bytes: number): number {
  return Math.floor(bytes / (2 * NUMBER_BYTES * parameters)) + 1;
}

/** Traffic of FedAvg for a number of rounds. */
export interface FedAvgLine extends Traffic {
  readonly rounds: number;
}

/** Traffic of FedAvg for a model with this number of parameters; empty if the number is unknown. */
export function fedAvgLines(
  parameters: number | undefined,
  rounds: readonly number[] = usualRounds,
): FedAvgLine[] {
  if (parameters === undefined) return [];
  return rounds.map((count) => ({ rounds: count, ...fedAvgBytes(parameters, count) }));
}

/** The traffic of one site. */
export interface SiteCommunication extends Traffic {
  readonly site: string;
}

/** The measured traffic of a study, and the least that FedAvg would need. */
export interface Communication {
  /** Number of model coefficients; absent if unknown, and then there is no comparison. */
  readonly parameters?: number;
  /** Sites whose traffic is shown: none in a private study. */
  readonly sites: readonly SiteCommunication[];
  /** Absent in a private study. */
  readonly total?: Traffic;
  /** FedAvg for one site; empty if the number of coefficients is unknown. */
  readonly fedAvg: readonly FedAvgLine[];
  /** FedAvg for all sites that have contributed. */
  readonly fedAvgTotal: readonly FedAvgLine[];
  /** Rounds from which FedAvg costs more than the site with the most traffic; absent before any traffic. */
  readonly crossover?: number;
}

/** The traffic of a study; the FedAvg total is over the sites that have contributed. */
export function communication(
  layout: Layout,
  sites: readonly SiteStatus[],
  rounds: readonly number[] = usualRounds,
): Communication {
  const parameters = parametersOf(layout);
  const lines = sites.flatMap(({ name, traffic }) =>
    traffic === undefined ? [] : [{ site: name, up: traffic.up, down: traffic.down }],
  );
  const hidden = lines.length < sites.length;
  const sum = (part: (line: Traffic) => number) => lines.reduce((s, line) => s + part(line), 0);
  const contributed = sites.filter(({ n }) => n !== undefined).length;
  const fedAvg = fedAvgLines(parameters, rounds);
  const largest = Math.max(0, ...lines.map(({ up, down }) => up + down));
  return {
    ...defined({ parameters }),
    sites: lines,
    ...(hidden ? {} : { total: { up: sum(({ up }) => up), down: sum(({ down }) => down) } }),
    fedAvg,
    fedAvgTotal: fedAvg.map(({ rounds: count, up, down }) => ({
      rounds: count,
      up: up * contributed,
      down: down * contributed,
    })),
    ...(largest > 0 && parameters !== undefined
      ? { crossover: crossoverRounds(parameters, largest) }
      : {}),
  };
}
