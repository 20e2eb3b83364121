import type { Conclusion, ExperimentResult, ReadingExperiment } from '../paper-result.ts';
import { paperStatement, resultSpread } from '../paper-result.ts';
import { computed } from './fusion-run.ts';
import { fisherMatters } from './matters.ts';
import { type FisherContext, type FisherSet, onImages } from './on-images.ts';
import { clientsByShares, rowsByClient } from './partition.ts';
import type { FisherPlan } from './plan.ts';
import { printedTimes } from './printed.ts';
import { CLIENTS } from './table-two-run.ts';
import type { ClientSeconds } from './time-task.ts';

const ALPHA = 0.1;

/** Ways to the Fisher information, with the most that we promise for it as a part of the training. */
const ways = [
  { key: 'kfac', label: 'K-FAC, exact expectation', printed: 'FedFisher (K-FAC)', most: 0.35 },
  { key: 'diagonal', label: 'Diag, exact expectation', printed: 'FedFisher (Diag)', most: 0.35 },
  { key: 'both', label: 'both in one pass, exact expectation', most: 0.35 },
  { key: 'drawnKfac', label: 'K-FAC, one drawn label', most: 0.15 },
  { key: 'drawnDiagonal', label: 'Diag, one drawn label', most: 0.15 },
] as const;

/** Table 1: what the Fisher information costs a client. Clients are timed one after another. */
export async function* timeExperiment(of: FisherSet, context: FisherContext): ReadingExperiment {
  const begun = performance.now();
  const clients = yield* onImages(
    of,
    context,
    ({ data, imageSeconds }) => imageSeconds * data.train.count * 40,
    async (run) => {
      const { labels } = run.data.train;
      const found: ClientSeconds[] = [];
      for (const [k, rows] of rowsByClient(
        clientsByShares(labels, CLIENTS, ALPHA),
        CLIENTS,
      ).entries()) {
        const seconds = run.imageSeconds * rows.length * 40;
        const what = `client ${k + 1}`;
        const input = { network: run.network, rows };
        found.push(await computed(run, `time-${k + 1}`, [what, seconds], 'time', input));
      }
      return found;
    },
  );
  return timeResult(of, context.plan, clients, (performance.now() - begun) / 1000);
}

function timeResult(
  of: FisherSet,
  { epochs }: FisherPlan,
  clients: readonly ClientSeconds[],
  seconds: number,
): ExperimentResult {
  const mean = (of: (client: ClientSeconds) => number) => resultSpread(clients.map(of)).mean;
  const training = epochs * mean(({ epoch }) => epoch);
  const once = (value: number) => ({ measured: { mean: value, count: clients.length } });
  const shares = ways.map((way) => ({ ...way, share: mean((one) => one[way.key]) / training }));
  return {
    id: 'time',
    title: 'Table 1: extra time of the Fisher information',
    about: `Processor seconds of one thread, the mean over the ${CLIENTS} clients at α = ${ALPHA}, ${of.networkName} on ${of.set.name}. Two epochs of each client are timed, and ${epochs} epochs are taken to last ${epochs / 2} times as long. The paper has seconds of a GPU. “Exact expectation” is over all labels, as in FedFisher’s code; “one drawn label” takes one from the network’s own distribution for each image.`,
    seconds,
    tables: [
      {
        id: 'time',
        title: `Seconds of a client for ${epochs} epochs and for the Fisher information`,
        of: 'what',
        columns: [
          { label: 'processor seconds', form: 'seconds' },
          { label: 'part of the training', form: 'percent' },
        ],
        rows: [
          {
            label: `${epochs} epochs of training`,
            cells: [{ ...once(training), printed: `${printedTimes.FedAvg} s` }, {}],
          },
          ...shares.map((way) => ({
            label: way.label,
            cells: [
              once(way.share * training),
              {
                ...once(way.share),
                ...('printed' in way && { printed: printedTimes[way.printed] }),
              },
            ],
          })),
        ],
      },
    ],
    figures: [],
    differences: [],
    conclusions: timeClaims(shares, epochs),
  };
}

function timeClaims(
  shares: readonly ((typeof ways)[number] & { readonly share: number })[],
  epochs: number,
): Conclusion[] {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const listed = shares.map(({ label, share }) => `${label} ${percent(share)}`).join(', ');
  const claim = paperStatement({
    matter: fisherMatters.time,
    where: '§4, Table 1',
    claim: 'add less than 14.5% of the total computational cost of FedAvg at clients',
    readings: shares
      .filter(({ key }) => key !== 'both')
      .map(({ label, share }) => ({
        as: `${label}, of ${epochs} epochs`,
        holds: share < 0.145,
        because: percent(share),
      })),
    because:
      'The exact expectation over ten labels needs a backward pass for each of them, which a GPU does at once.',
  });
  if (epochs < 30) return [claim];
  return [
    claim,
    {
      of: 'ours',
      claim:
        'The Fisher information costs at most 35 % of 30 epochs with the exact expectation, and at most 15 % with one drawn label',
      holds: shares.every(({ share, most }) => share <= most),
      because: listed,
    },
  ];
}
