import { type Distillation, fullDistillation } from '../../src/network/distillation.ts';
import type { Network } from '../../src/network/network.ts';
import { imageValues, planNetwork } from '../../src/network/network-plan.ts';
import { accuracyOf } from '../../src/network/outputs.ts';
import type { GrownNetwork } from '../../src/network/pfnm.ts';
import { seededWords } from '../../src/random/seeded-words.ts';
import type { ClientModel } from './client-model.ts';
import {
  type CompressionName,
  compressionLevels,
  sentDiagonals,
  sentFactors,
} from './compression.ts';
import { cellSites, type FusionCell, IMAGE_CLASSES } from './fusion-cell.ts';
import { type FusionMethodName, fusionMethods } from './methods.ts';
import { everyRow, imageExamples, type SharedImages } from './shared-images.ts';
import type { Task } from './task.ts';

export interface FuseInput {
  readonly network: Network;
  readonly clients: readonly ClientModel[];
  readonly method: FusionMethodName;
  /** How messages are compressed, for methods that take them so; as in FedFisher's code unless given. */
  readonly level?: CompressionName;
  /** The size of DENSE; that of studies unless given. */
  readonly distillation?: Distillation;
  /** Weights of the method that comes before this one. */
  readonly before?: Float32Array;
}

/** A fused network and the share of the test images that it has right. */
export interface FusionOutcome {
  readonly accuracy: number;
  readonly network: Network;
  readonly weights: Float32Array;
}

/** Training images of the server for validation (FedFisher, Appendix D.3). */
const VALIDATION_IMAGES = 500;
const VALIDATION_SEED = 3;

export const fuseTask: Task<FuseInput, FusionOutcome> = (
  { network, clients, method, level = 'coded', distillation, before = new Float32Array(0) },
  { train, test },
  report,
) => {
  const { label, fuse } = fusionMethods[method];
  const cell = {
    ...fusionCell(network, clients, train, level),
    distillation: fullDistillation(distillation),
    report: (share: number) => report(share, label),
  };
  const fused = fuse(cell, Float64Array.from(before));
  return tested(fused, test);
};

/** The clients with what the server has. */
function fusionCell(
  network: Network,
  clients: readonly ClientModel[],
  train: SharedImages,
  level: CompressionName,
): Omit<FusionCell, 'distillation' | 'report'> {
  const plan = planNetwork(network, imageValues(train.shape), IMAGE_CLASSES);
  const random = seededWords(VALIDATION_SEED);
  const drawn = Uint32Array.from({ length: VALIDATION_IMAGES }, () =>
    Math.floor((random() / 2 ** 32) * train.count),
  );
  const examples = imageExamples(train, drawn, network.pixels!);
  const sites = cellSites(clients.filter(({ rows }) => rows > 0));
  const compression = compressionLevels[level].of(plan);
  return {
    network,
    plan,
    sites,
    sentDiagonals: () => sentDiagonals(plan, sites, compression),
    sentFactors: () => sentFactors(plan, sites, compression),
    validate: (weights) => accuracyOf(plan, Float32Array.from(weights), examples),
  };
}

/** A fused network on the test images. */
export function tested({ network, weights }: GrownNetwork, test: SharedImages): FusionOutcome {
  const plan = planNetwork(network, imageValues(test.shape), IMAGE_CLASSES);
  const single = Float32Array.from(weights);
  const examples = imageExamples(test, everyRow(test), network.pixels!);
  return { network, weights: single, accuracy: accuracyOf(plan, single, examples) };
}
