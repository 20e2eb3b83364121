import { defined } from '../../src/defined.ts';
import { bothWays, trafficOf } from '../baselines/wire.ts';
import type { Conclusion, ExperimentResult, ResultTable, TableCell } from '../paper-result.ts';
import { resultNumberText } from '../text/value-text.ts';
import { cell, meanCell, megabytes, percentCell, shown } from './cells.ts';
import { gapNames, mainStatements, readingGap } from './main-statements.ts';
import { iterative, type Line, type MainTrial, roundLimit, withinNames } from './main-trial.ts';
import type { RidgePlan } from './plan.ts';
import { meanLossRidge, objectiveReadings } from './readings.ts';

/** Table II as printed: MSE, rounds, bytes. */
const printed: Readonly<Record<string, readonly [string, string, string]>> = {
  'One-Shot': ['0.0100', '1', '0.82 MB'],
  'FedAvg-100': ['0.0103', '100', '1.60 MB'],
  'FedAvg-200': ['0.0102', '200', '3.20 MB'],
  'FedAvg-500': ['0.0102', '500', '8.00 MB'],
  'FedProx-200': ['0.0102', '200', '3.20 MB'],
  Centralised: ['0.0100', '—', '—'],
};

/** Results of the trials. */
export function mainResult(
  plan: RidgePlan,
  begun: number,
  trials: readonly MainTrial[],
  bits: readonly Conclusion[],
): ExperimentResult {
  const of = (name: string, value: (line: Line) => number) =>
    trials.map(({ lines }) => value(lines.get(name)!));
  const mean = (name: string, value: (line: Line) => number) => meanCell(of(name, value));
  const gap = (name: string) =>
    meanCell(trials.map(({ lines }) => lines.get(name)!.mse / lines.get('Centralised')!.mse - 1));
  const up = (name: string) => mean(name, ({ traffic }) => traffic.up);
  const seconds = (name: string) => mean(name, (line) => line.seconds);
  const cgRounds = mean('Conjugate gradients', ({ rounds }) => rounds);
  const [exact, ...own] = bits;
  return {
    id: '1',
    title: 'Baseline comparison',
    about: `K = ${plan.sites}, nₖ = ${plan.rowsPerSite} (a fifth held out), d = ${plan.features}, γ = ${plan.heterogeneity}, σ = ${plan.ridge}; η = 0.01, E = 5 full-batch steps, all clients, from w = 0. The paper does not say how σ enters the clients’ loss: Table II has it shared out, so that the clients together minimise equation (1) and a step goes along 2Aᵀ(Aw − b)/nₖ + 2(σ/n)w; a table below has the other readings. Bytes are those of encoded messages of all clients: signed contributions, and unsigned vectors of float64 for the others. Table II’s seconds have our exact sums and checks in them, and steps from a client’s Gram; the seconds that are judged are those of plain float64, in a table of their own. One round of Newton’s method would send Gₖ and hₖ: that is One-Shot.`,
    seconds: (performance.now() - begun) / 1000,
    tables: [
      tableTwo(trials, of),
      readingsTable(trials),
      plainTable(trials),
      reachedTable(plan, trials),
    ],
    figures: [],
    differences: [
      `FedAvg’s printed gap of 2 to 3 % is ${percentCell(readingGap(trials, meanLossRidge, 0))} after 100 rounds and ${percentCell(readingGap(trials, meanLossRidge, 2))} after 500 where σ is added to each client’s mean loss. With equation (1) as it stands the MSE is ${percentCell(gap('FedAvg-100'))} and ${percentCell(gap('FedAvg-500'))} from the exact one, which is ${shown(Math.abs(gap('FedAvg-500')) * mean('Centralised', ({ mse }) => mse))} of MSE: five local steps end at another model than the exact one (client drift). Rounds to stay within 10⁻⁶ of the exact MSE: ${reachedWords(plan, trials, 2)} as a difference, ${reachedWords(plan, trials, 3)} as a share of it.`,
      `The printed 0.82 MB is 8 bytes for each of d(d+1)/2 + d numbers of 20 clients; exact arithmetic takes 16, and yᵀy, sums and headers come with it: ${megabytes(up('One-Shot'))} up, or ${megabytes(up('One-Shot, compact'))} compact, beside ${megabytes(up('FedAvg-200'))} for FedAvg-200.`,
      `Our own One-Shot takes ${shown(seconds('One-Shot'))} s, with exact sums, checks of every contribution and standard errors, against ${shown(seconds('FedAvg-500'))} s for a FedAvg-500 whose clients keep their Gram: a ratio of ${shown(seconds('FedAvg-500') / seconds('One-Shot'), 2)}. That is the price of exactness, not of the paper’s method.`,
      `A rival the paper leaves out: conjugate gradients are within 10⁻⁶ after ${shown(cgRounds)} rounds and ${megabytes(mean('Conjugate gradients', ({ traffic }) => bothWays(traffic)))} both ways, against ${megabytes(mean('One-Shot, compact', ({ traffic }) => bothWays(traffic)))} for compact One-Shot; they need all clients in every round. One round of averaged local fits is ${percentCell(gap('Averaged local fits'))} from the exact MSE here, where a site has ${shown((0.8 * plan.rowsPerSite) / plan.features, 2)} rows a feature.`,
    ],
    conclusions: [
      exact!,
      ...mainStatements(trials),
      ...own,
      {
        of: 'ours',
        claim: 'Compact sums (8 bytes an entry) cost less than 10⁻⁶ of the MSE',
        holds: Math.abs(gap('One-Shot, compact')) < 1e-6,
        because: `${shown(gap('One-Shot, compact'))} of the exact MSE`,
      },
      {
        of: 'ours',
        claim: 'A site gains by taking part: its own fit is worse than the exact one',
        holds: gap('Local only') > 0,
        because: `${percentCell(gap('Local only'))} above on average`,
      },
    ],
  };
}

function readingsTable(trials: readonly MainTrial[]): ResultTable {
  const printedGaps = ['+3 %', '+2 %', '+2 %', '+2 %'];
  const batches = [...trials[0]!.batched];
  return {
    id: 'readings',
    title:
      'Gap above the exact MSE by reading of the clients’ loss, r = Aw − b (mini-batches: mean of rounds 51 to 100)',
    of: 'Steps along',
    columns: gapNames.map((label) => ({ label, form: 'percent' })),
    rows: [
      ...objectiveReadings.map(({ label }, k) => ({
        label,
        cells: gapNames.map((_, m) =>
          cell(
            trials.map(({ gaps }) => gaps[k]![m]!),
            printedGaps[m],
          ),
        ),
      })),
      ...batches.map(([rows, gap]) => ({
        label: `σ/n, mini-batches of ${rows}`,
        cells: [cell([gap]), ...gapNames.slice(1).map(() => ({ text: '–' }))],
      })),
    ],
  };
}

function plainTable(trials: readonly MainTrial[]): ResultTable {
  const row = (label: string, seconds: readonly number[], text: string) => ({
    label,
    cells: [cell(seconds, text)],
  });
  const rounds = (count: number) => trials.map(({ plain }) => count * plain.round);
  return {
    id: 'plain',
    title: 'Seconds in plain float64, one thread, without checks',
    of: 'Method',
    columns: [{ label: 'Time', form: 'seconds' }],
    rows: [
      row(
        'One-Shot: Gram matrices, sum, Cholesky',
        trials.map(({ plain }) => plain.oneShot),
        '0.003 s',
      ),
      row('FedAvg-100, over the rows', rounds(100), '0.26 s'),
      row('FedAvg-200, over the rows', rounds(200), '0.51 s'),
      row('FedAvg-500, over the rows', rounds(500), '1.25 s'),
    ],
  };
}

function tableTwo(
  trials: readonly MainTrial[],
  of: (name: string, value: (line: Line) => number) => number[],
): ResultTable {
  const row = (name: string) => {
    const [mse, rounds, bytes] = printed[name] ?? [];
    return {
      label: name,
      cells: [
        cell(
          of(name, (line) => line.mse),
          mse,
        ),
        roundsCell(
          of(name, (line) => line.rounds),
          rounds,
        ),
        cell(
          of(name, ({ traffic }) => traffic.up),
          bytes,
        ),
        cell(of(name, ({ traffic }) => traffic.down)),
        cell(of(name, (line) => line.seconds)),
      ],
    };
  };
  return {
    id: 'II',
    title: 'Main results',
    of: 'Method',
    columns: [
      { label: 'MSE' },
      { label: 'Rounds', form: 'count' },
      { label: 'Up', form: 'bytes' },
      { label: 'Down', form: 'bytes' },
      { label: 'Time, ours', form: 'seconds' },
    ],
    rows: [...trials[0]!.lines.keys()].map(row),
  };
}

function roundsCell(values: readonly number[], printedRounds?: string): TableCell {
  if (values.some((value) => value > 0)) return cell(values, printedRounds);
  return { text: 'none', ...defined({ printed: printedRounds }) };
}

function reachedTable(plan: RidgePlan, trials: readonly MainTrial[]): ResultTable {
  const exact = trials.map(({ lines }) => bothWays(lines.get('One-Shot')!.traffic));
  const once: TableCell = { ...cell(exact.map(() => 1)), text: bytesText(meanCell(exact)) };
  return {
    id: 'rounds',
    title: `Rounds · bytes both ways, to stay within a distance of the exact MSE (–: not reached in ${roundLimit(plan)} rounds)`,
    of: 'Method',
    columns: withinNames.map((label) => ({ label, form: 'count' })),
    rows: [
      { label: 'One-Shot', cells: withinNames.map(() => once) },
      ...iterative.map(({ name }) => ({
        label: name,
        cells: withinNames.map((_, i) => reachedCell(plan, trials, name, i)),
      })),
    ],
  };
}

const bytesText = (bytes: number) => `· ${resultNumberText(bytes, 'bytes')}`;

/** Rounds and their bytes; only over trials that reach the tolerance, if not all do. */
function reachedCell(
  plan: RidgePlan,
  trials: readonly MainTrial[],
  name: string,
  i: number,
): TableCell {
  const rounds = roundsOf(trials, name, i);
  if (rounds.length === 0) return { text: '–' };
  const baseline = iterative.find((one) => one.name === name)!;
  const bytes = rounds.map((count) =>
    bothWays(trafficOf(baseline, plan.features, plan.sites, count)),
  );
  const some = rounds.length === trials.length ? '' : ` (${rounds.length} of ${trials.length})`;
  return { ...cell(rounds), text: `${bytesText(meanCell(bytes))}${some}` };
}

/** Mean over the trials that reach the tolerance. */
function roundsOf(trials: readonly MainTrial[], name: string, i: number): number[] {
  return trials.flatMap(({ reached }) => reached.get(name)![i] ?? []);
}

function reachedWords(plan: RidgePlan, trials: readonly MainTrial[], i: number): string {
  const rounds = roundsOf(trials, 'FedAvg', i);
  if (rounds.length === 0) return `more than ${roundLimit(plan)}`;
  const some =
    rounds.length === trials.length ? '' : ` in ${rounds.length} of ${trials.length} trials`;
  return `${shown(meanCell(rounds))}${some}`;
}
