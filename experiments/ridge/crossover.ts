import { agreement } from '../../src/federate.ts';
import { createKernels } from '../../src/numeric/kernels.ts';
import { fedAvg } from '../baselines/fed-avg.ts';
import { bothWays, encodeMessage, trafficOf } from '../baselines/wire.ts';
import { type Experiment, paperStatement } from '../paper-result.ts';
import { cell, shown } from './cells.ts';
import { drawOf } from './draw.ts';
import { numberedSite, ridgeStudy, signedBytes, siteContribution } from './exact.ts';
import { type RidgePlan, settingOf } from './plan.ts';
import { ridgeMatters } from './readings.ts';

const dimensions: readonly number[] = [10, 20, 50, 100, 200, 400, 800, 1000];

/** Rounds that are drawn. */
const rounds: readonly number[] = [10, 100, 200, 500];

/** Bytes of one client, both ways. */
interface Bytes {
  readonly exact: number;
  readonly compact: number;
}

/** Corollary 2 in bytes on the wire: after how many rounds is One-Shot cheaper? */
export function* crossover(plan: RidgePlan): Experiment {
  const begun = performance.now();
  const ds = dimensions.filter((d) => !plan.quick || d <= 200);
  const found: Bytes[] = [];
  for (const [i, d] of ds.entries()) {
    yield { done: i / ds.length, what: `crossover: encoding contributions of d = ${d}` };
    // The length of a message does not depend on the number of rows.
    const setting = { ...settingOf(plan), sites: 1, trainRows: 8, testRows: 1, features: d };
    const [rows] = drawOf(setting, plan.seed).sites;
    const back = encodeMessage({ round: 1, vectors: { weights: new Float64Array(d) } }).length;
    const bytes = (arithmetic: 'exact' | 'compact') => {
      const agreed = agreement(ridgeStudy(setting, plan.ridge, { arithmetic }));
      return back + signedBytes(siteContribution(agreed, numberedSite(0), rows!, createKernels()));
    };
    found.push({ exact: bytes('exact'), compact: bytes('compact') });
  }
  const fedAvgBytes = (d: number, count: number) => bothWays(trafficOf(fedAvg(), d, 1, count));
  const cross = ds.map((d, i) => ({
    exact: firstRound(d, found[i]!.exact),
    compact: firstRound(d, found[i]!.compact),
    formula: (d + 5) / 4,
  }));
  const numbersAlone = ds.every((d, i) => {
    const bound = Math.floor(cross[i]!.formula) + 1;
    const cost = (d * (d + 1)) / 2 + 2 * d;
    return cost < 2 * bound * d && cost >= 2 * (bound - 1) * d;
  });
  const last = ds.length - 1;
  const widest = ds[last]!;
  const back = encodeMessage({ round: 1, vectors: { weights: new Float64Array(widest) } }).length;
  const sent = found[last]!.compact - back;
  const counted = 8 * ((widest * (widest + 1)) / 2 + widest);
  return {
    id: 'crossover',
    title: 'Where One-Shot becomes cheaper than rounds (Corollary 2)',
    about: `Bytes of one client both ways, all of encoded messages: a signed contribution of 16 bytes an entry (exact) or 8 (compact) and the model back, against R rounds of two unsigned messages of d float64. Corollary 2 counts numbers: R > (d + 5)/4.`,
    seconds: (performance.now() - begun) / 1000,
    tables: [
      {
        id: 'crossover',
        title: 'Rounds from which One-Shot takes fewer bytes',
        of: 'd',
        columns: [
          { label: 'One-Shot', form: 'bytes' },
          { label: 'One-Shot, compact', form: 'bytes' },
          { label: 'FedAvg, a round', form: 'bytes' },
          { label: 'Cheaper from round', form: 'count' },
          { label: 'Compact from round', form: 'count' },
          { label: '(d + 5)/4' },
        ],
        rows: ds.map((d, i) => ({
          label: String(d),
          cells: [
            cell([found[i]!.exact]),
            cell([found[i]!.compact]),
            cell([fedAvgBytes(d, 1)]),
            cell([cross[i]!.exact]),
            cell([cross[i]!.compact]),
            { printed: shown(cross[i]!.formula, 4) },
          ],
        })),
      },
    ],
    figures: [
      {
        id: 'crossover',
        title: 'Bytes of one client, both ways',
        kind: 'lines',
        x: { label: 'd', log: true },
        y: { label: 'bytes', log: true },
        series: [
          ...rounds.map((count) => ({
            name: `FedAvg-${count}`,
            role: 'other' as const,
            points: ds.map((d) => ({ x: d, y: fedAvgBytes(d, count) })),
          })),
          {
            name: 'One-Shot, compact',
            role: 'other',
            points: ds.map((d, i) => ({ x: d, y: found[i]!.compact })),
          },
          {
            name: 'One-Shot',
            role: 'exact',
            points: ds.map((d, i) => ({ x: d, y: found[i]!.exact })),
          },
        ],
      },
    ],
    differences: [
      `In bytes, One-Shot with exact sums crosses at about twice the rounds of Corollary 2, since an entry takes 16 bytes: from round ${cross[last]!.exact} at d = ${ds[last]}, where the formula says ${shown(cross[last]!.formula, 4)}; compact sums cross at ${cross[last]!.compact}.`,
      `At d = ${ds[0]} headers and the signature count more than the numbers: One-Shot is cheaper from round ${cross[0]!.exact} (compact ${cross[0]!.compact}), formula ${shown(cross[0]!.formula, 4)}.`,
    ],
    conclusions: [
      paperStatement({
        matter: ridgeMatters.upload,
        where: 'Theorem 4, upload of One-Shot',
        claim: 'd(d+1)/2 + d',
        readings: [
          {
            as: 'bytes of an encoded message, 8 an entry',
            holds: Math.abs(sent / counted - 1) <= 0.05,
            because: `at d = ${ds[last]} ${sent} bytes are sent, ${shown(100 * (sent / counted - 1), 2)} % more than the numbers take: yᵀy, sums, headers and the signature`,
          },
        ],
        because: 'Exact sums take 16 bytes an entry.',
      }),
      paperStatement({
        matter: ridgeMatters.crossover,
        where: 'Corollary 2',
        claim:
          'One-Shot achieves lower total communication when: d(d+1)/2 + 2d < 2Rd ⇔ R > (d+5)/4.',
        readings: [
          {
            as: 'numbers counted',
            holds: numbersAlone,
            because: `d(d + 1)/2 + 2d against 2Rd, checked on both sides of the bound for ${ds.length} dimensions`,
          },
        ],
        because: 'The table below has the same in bytes on the wire.',
      }),
      {
        of: 'ours',
        claim: 'With compact sums the bytes cross within 15 % of Corollary 2 from d = 100 on',
        holds: ds.every(
          (d, i) => d < 100 || Math.abs(cross[i]!.compact / cross[i]!.formula - 1) <= 0.15,
        ),
        because: ds
          .flatMap((d, i) =>
            d < 100
              ? []
              : [`d = ${d}: ${cross[i]!.compact} against ${shown(cross[i]!.formula, 4)}`],
          )
          .join('; '),
      },
    ],
  };
}

/** The fewest rounds of FedAvg that take more bytes. */
function firstRound(d: number, bytes: number): number {
  let spent = 0;
  for (let round = 1; ; round++) {
    const message = encodeMessage({ round, vectors: { weights: new Float64Array(d) } });
    spent += 2 * message.length;
    if (spent > bytes) return round;
  }
}
