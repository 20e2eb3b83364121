import { bothWays, type WireTraffic } from '../baselines/wire.ts';
import { type PaperStatement, paperStatement, type StatementReading } from '../paper-result.ts';
import { meanCell, percentCell, reaches, shown } from './cells.ts';
import type { MainTrial } from './main-trial.ts';
import {
  type ObjectiveReading,
  objectiveReadings,
  objectiveRemark,
  plainReading,
  ridgeMatters,
  speedRemark,
} from './readings.ts';

/** Methods of a reading's gaps, in order. */
export const gapNames: readonly string[] = [
  'FedAvg-100',
  'FedAvg-200',
  'FedAvg-500',
  'FedProx-200',
];

/** Mean gap of a method under a reading of the clients' loss. */
export function readingGap(
  trials: readonly MainTrial[],
  reading: ObjectiveReading,
  method: number,
): number {
  const place = objectiveReadings.indexOf(reading);
  return meanCell(trials.map(({ gaps }) => gaps[place]![method]!));
}

/** What the paper says about Table II. */
export function mainStatements(trials: readonly MainTrial[]): PaperStatement[] {
  return [bytesStatement(trials), speedStatement(trials), gapStatement(trials)];
}

function gapStatement(trials: readonly MainTrial[]): PaperStatement {
  const objectives = objectiveReadings.map((reading): StatementReading => {
    const gaps = gapNames.map((_, m) => readingGap(trials, reading, m));
    return {
      as: reading.as,
      holds: gaps.every((gap) => reaches(gap, 0.02)),
      because: gapNames.map((name, m) => `${name} ${percentCell(gaps[m]!)}`).join(', '),
    };
  });
  const batches = [...trials[0]!.batched].map(
    ([rows, gap]): StatementReading => ({
      as: `σ shared out, stochastic steps along mini-batches of ${rows} rows`,
      holds: reaches(gap, 0.02),
      because: `${percentCell(gap)} on average over rounds 51 to 100, first trial`,
    }),
  );
  return paperStatement({
    matter: ridgeMatters.gap,
    where: '§V-B, Table II',
    claim:
      'FedAvg and FedProx achieve MSE of 0.0102–0.0103 even after 500 rounds, a 2–3% gap that persists regardless of additional iterations.',
    readings: [...objectives, ...batches],
    because: objectiveRemark,
  });
}

function bytesStatement(trials: readonly MainTrial[]): PaperStatement {
  const times = (than: string, bytes: (traffic: WireTraffic) => number) =>
    meanCell(
      trials.map(
        ({ lines }) =>
          bytes(lines.get(than)!.traffic) / bytes(lines.get('One-Shot, compact')!.traffic),
      ),
    );
  const reading = (as: string, bytes: (traffic: WireTraffic) => number): StatementReading => {
    const [few, many] = [times('FedAvg-200', bytes), times('FedAvg-500', bytes)];
    return {
      as,
      holds: reaches(few, 3.9) && reaches(many, 9.8),
      because: `${shown(few)} times less than FedAvg-200, ${shown(many)} times less than FedAvg-500`,
    };
  };
  return paperStatement({
    matter: ridgeMatters.saving,
    where: '§V-B, Table II',
    claim:
      'One-Shot requires 0.82 MB versus 3.20 MB for FedAvg-200, a 3.9× reduction. Compared to FedAvg-500, savings reach 9.8×.',
    readings: [
      reading('uploads, 8 bytes an entry, as the paper counts', ({ up }) => up),
      reading('both ways, 8 bytes an entry', bothWays),
    ],
    because: 'Our exact sums take 16 bytes an entry, and save half as much.',
  });
}

function speedStatement(trials: readonly MainTrial[]): PaperStatement {
  const oneShot = meanCell(trials.map(({ plain }) => plain.oneShot));
  const rounds = 500 * meanCell(trials.map(({ plain }) => plain.round));
  return paperStatement({
    matter: ridgeMatters.speed,
    where: '§V-B, Table II',
    claim: '0.003s for One-Shot versus 1.25s for FedAvg-500, a 400× speedup.',
    readings: [
      {
        as: plainReading,
        holds: reaches(rounds / oneShot, 400),
        because: `${shown(1000 * oneShot)} ms against ${shown(rounds)} s: ${shown(rounds / oneShot)} times`,
      },
    ],
    because: speedRemark,
  });
}
