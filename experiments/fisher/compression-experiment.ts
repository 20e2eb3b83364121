import type {
  Conclusion,
  ExperimentResult,
  ReadingExperiment,
  ResultTable,
} from '../paper-result.ts';
import { paperStatement } from '../paper-result.ts';
import { type CompressionName, compressionLevels, sentBits } from './compression.ts';
import { type CellSetting, fusedBy, planFor, trainedClients } from './fusion-run.ts';
import { fisherMatters } from './matters.ts';
import { type FusionMethodName, fusionMethodOf } from './methods.ts';
import { type FisherContext, type FisherSet, onImages } from './on-images.ts';
import { type FisherPlan, trialSeeds } from './plan.ts';
import { meanPercent, percentSpread, percentText, signedPoints } from './points-text.ts';
import { printedTableFive, printedTableFour } from './printed.ts';
import { CLIENTS } from './table-two-run.ts';

const ALPHA = 0.1;

/** Points by which compression may change the accuracy. */
const POINTS = 4;

/** Accuracies of all seeds. */
interface Compressed {
  readonly method: FusionMethodName;
  readonly level: CompressionName;
  readonly accuracies: readonly number[];
}

const diagonalLevels: readonly CompressionName[] = ['none', 'coded'];
const factorLevels: readonly CompressionName[] = [
  ...(['none', 'printed2', 'coded', 'printed4', 'printed6', 'once'] as const),
];
/** s_q of Tables 4 and 5. */
const printedKeys: Partial<Record<CompressionName, string>> = {
  ...{ none: '1', printed2: '2', coded: '4', printed6: '6' },
};

const tried: readonly (readonly [FusionMethodName, readonly CompressionName[]])[] = [
  ['diagonalPaper', diagonalLevels],
  ['diagonalSent', diagonalLevels],
  ['kfacPaper', ['none', 'printed2', 'coded', 'printed6']],
  ['kfacSent', factorLevels],
];

/** Tables 4 and 5: what compression to FedAvg's bits changes. */
export async function* compressionExperiment(
  of: FisherSet,
  context: FisherContext,
): ReadingExperiment {
  const begun = performance.now();
  const { plan } = context;
  const seeds = trialSeeds(plan);
  const found = yield* onImages(
    of,
    context,
    ({ data, imageSeconds }) =>
      seeds.length * (imageSeconds * data.train.count * (plan.epochs + 10) + 400),
    (run) =>
      Promise.all(
        tried.flatMap(([method, levels]) =>
          levels.map(async (level): Promise<Compressed> => {
            const accuracies = seeds.map(async (seed) => {
              const setting: CellSetting = {
                alpha: ALPHA,
                clients: CLIENTS,
                seed,
                epochs: plan.epochs,
              };
              const clients = await trainedClients(run, setting);
              return (await fusedBy(run, setting, clients, method, level)).accuracy;
            });
            return { method, level, accuracies: await Promise.all(accuracies) };
          }),
        ),
      ),
  );
  return compressionResult(of, plan, found, (performance.now() - begun) / 1000);
}

function compressionResult(
  of: FisherSet,
  plan: FisherPlan,
  found: readonly Compressed[],
  seconds: number,
): ExperimentResult {
  return {
    id: 'compression',
    title: 'Tables 4 and 5: compression to FedAvg’s bits',
    about: `${of.set.name}, α = ${ALPHA}, ${CLIENTS} clients, ${plan.trials} ${plan.trials === 1 ? 'seed' : 'seeds'}; the clients of Table 2. Weights and diagonals are quantised to 16 bits, layer by layer; Kronecker factors are cut to the rank that leaves room for them, and their vectors and values are quantised. The paper prints ⌈·⌉ in equation (84), its code rounds to the nearest level. The factors are symmetric, so their vectors need to be sent only once: then FedAvg’s bits hold about twice the rank.`,
    seconds,
    tables: [
      compressionTable(
        of,
        '4',
        'Table 4: FedFisher (Diag)',
        found,
        ['diagonalPaper', 'diagonalSent'],
        diagonalLevels,
      ),
      compressionTable(
        of,
        '5',
        'Table 5: FedFisher (K-FAC)',
        found,
        ['kfacPaper', 'kfacSent'],
        factorLevels,
      ),
    ],
    figures: [],
    differences: [
      'The caption of Table 4 says K-FAC; its text and its numbers are those of the diagonal.',
    ],
    conclusions: compressionClaims(found),
  };
}

function compressionTable(
  of: FisherSet,
  id: string,
  title: string,
  found: readonly Compressed[],
  methods: readonly [paper: FusionMethodName, ours: FusionMethodName],
  levels: readonly CompressionName[],
): ResultTable {
  const plan = planFor(of.network, of.set);
  const printed = id === '4' ? printedTableFour : printedTableFive;
  const keys = id === '4' ? { none: '1', coded: '2' } : printedKeys;
  return {
    id: `compression${id}`,
    title: `${title}, accuracy in %`,
    of: 'compressed',
    columns: [
      { label: 'server of the published code' },
      { label: 'damped server' },
      { label: 'sent, in FedAvg’s bits', form: 'ratio' },
    ],
    rows: levels.map((level) => {
      const bits = sentBits(plan, compressionLevels[level].of(plan));
      const factors = level === 'once' ? bits.kfacOnce : bits.kfac;
      const value = printed[keys[level as keyof typeof keys] ?? ''];
      return {
        label:
          id === '4' && level === 'coded' ? 's_q = 2 (16 bits)' : compressionLevels[level].label,
        cells: [
          ...methods.map((method, k) => {
            const one = find(found, method, level);
            return {
              ...(one === undefined ? {} : { measured: percentSpread(one.accuracies) }),
              ...(k === 0 && value !== undefined && { printed: value }),
            };
          }),
          { measured: { mean: id === '4' ? bits.diagonal : factors, count: 1 } },
        ],
      };
    }),
  };
}

function find(found: readonly Compressed[], method: FusionMethodName, level: CompressionName) {
  return found.find((one) => one.method === method && one.level === level);
}

function compressionClaims(found: readonly Compressed[]): Conclusion[] {
  const mean = (method: FusionMethodName, level: CompressionName) =>
    meanPercent(find(found, method, level)!.accuracies);
  const change = (method: FusionMethodName, level: CompressionName) =>
    mean(method, level) - mean(method, 'none');
  const changeText = (method: FusionMethodName) =>
    `${signedPoints(change(method, 'coded'))} (${percentText(mean(method, 'none'))} to ${percentText(mean(method, 'coded'))})`;
  const methods: readonly FusionMethodName[] = [
    'diagonalPaper',
    'kfacPaper',
    'diagonalSent',
    'kfacSent',
  ];
  const best = (method: FusionMethodName) => {
    const levels = (['printed2', 'coded', 'printed6'] as const).map((level) => ({
      level,
      accuracy: mean(method, level),
    }));
    return {
      holds: levels.every(({ accuracy }) => accuracy <= mean(method, 'coded')),
      because: levels
        .map(({ level, accuracy }) => `s_q = ${printedKeys[level]}: ${percentText(accuracy)}`)
        .join(', '),
    };
  };
  return [
    paperStatement({
      matter: fisherMatters.compression,
      where: '§4',
      claim: 'without significantly affecting the accuracy of the final one-shot model',
      readings: methods.map((method) => ({
        as: `${fusionMethodOf(method).label}: at most ${POINTS} points, as in the code`,
        holds: Math.abs(change(method, 'coded')) <= POINTS,
        because: changeText(method),
      })),
      because: 'Means over the seeds.',
    }),
    paperStatement({
      matter: fisherMatters.quantiser,
      where: 'Appendix C, Table 5',
      claim: 'keeping sq = 4 and setting sv accordingly usually gives the best performance',
      readings: [
        { as: 'server of the published code', ...best('kfacPaper') },
        { as: 'damped server', ...best('kfacSent') },
      ],
      because: 'Means over the seeds, all in about FedAvg’s bits.',
    }),
    {
      of: 'ours',
      claim: `Compression to FedAvg’s bits changes the accuracy of the damped servers by at most ${POINTS} points`,
      holds: (['diagonalSent', 'kfacSent'] as const).every(
        (method) => Math.abs(change(method, 'coded')) <= POINTS,
      ),
      because: (['diagonalSent', 'kfacSent'] as const)
        .map((method) => `${fusionMethodOf(method).label} ${changeText(method)}`)
        .join('; '),
    },
  ];
}
