import { DataError } from '../data-error.ts';
import { MOST_FISHER_ROWS, MOST_FISHER_SEEDS } from '../network/fisher-pass.ts';
import type { NetworkPlan } from '../network/network-plan.ts';
import { fullTraining } from '../network/training.ts';
import { workspaceBytes } from '../network/workspace-bytes.ts';
import { packedLength } from '../numeric/gram.ts';
import { entriesIn, type Segment } from '../statistic/segments.ts';
import { grouped } from '../text/number-text.ts';
import type { NetworkTerms } from './network-terms.ts';

/** Most numbers that a site sends: 200 MB. The diagonal information of four million weights has 12 million. */
const MOST_NUMBERS = 2 ** 24;

/** Most memory of a training; the kernels have twice as much. */
const MOST_BYTES = 2 ** 31;

/** Refuses a network that a site cannot train, or that is too large to send, before anything is read. */
export function refuseLarge(
  plan: NetworkPlan,
  terms: NetworkTerms,
  segments: readonly Segment[],
  sendsProducts: boolean,
): void {
  const sent = segments.reduce((sum, segment) => sum + entriesIn(segment), 0);
  // Compressed products are whole ones before and after.
  const products = plan.blocks.reduce(
    (sum, { rows, columns }) => sum + packedLength(rows) + packedLength(columns),
    0,
  );
  const numbers = Math.max(sent, sendsProducts ? products : 0);
  if (numbers > MOST_NUMBERS) {
    throw new DataError(
      `a site would make ${grouped(numbers)} numbers of this network; at most ${grouped(MOST_NUMBERS)} are possible`,
      {},
      'choose fewer units, fewer columns or smaller images; or network-average, which sends the fewest numbers',
    );
  }
  const seeds = Math.min(MOST_FISHER_SEEDS, plan.outputs);
  const bytes = Math.max(
    workspaceBytes(plan, fullTraining(terms.training).batch, 1),
    workspaceBytes(plan, MOST_FISHER_ROWS, seeds),
  );
  if (bytes <= MOST_BYTES) return;
  throw new DataError(
    `a training would take ${grouped(Math.ceil(bytes / 2 ** 20))} MB of memory; at most ${grouped(MOST_BYTES / 2 ** 20)} are possible`,
    {},
    'choose a smaller batch, fewer channels or smaller windows',
  );
}
