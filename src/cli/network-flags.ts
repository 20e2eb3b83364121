import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { defined } from '../defined.ts';
import { networkFusions } from '../fusion/network-fusions.ts';
import { MOST_TRAINING_ROUNDS } from '../fusion/network-terms.ts';
import { fedNet, leNet, perceptron } from '../network/known-networks.ts';
import type { Network } from '../network/network.ts';
import { MOST_EPOCHS } from '../network/training.ts';
import type { Fusion } from '../study/study.ts';
import { UsageError } from '../usage-error.ts';
import { wholeNumber } from './flags.ts';

/** Flags of a study that trains networks. */
export interface NetworkFlags {
  readonly network?: string;
  readonly epochs?: string;
  readonly trainingRounds?: string;
  readonly repairHead?: boolean;
}

/** Names of the fusions of networks. */
export const networkFusionNames: readonly string[] = Object.keys(networkFusions);

/** Flags of networks, by their keys. */
export const networkFlagNames: Readonly<Record<keyof NetworkFlags, string>> = {
  network: '--network',
  epochs: '--epochs',
  trainingRounds: '--training-rounds',
  repairHead: '--repair-head',
};

export function withNetwork(command: Command): Command {
  return command
    .option(
      '--network <layers>',
      'sites train this network: units of dense layers (64,32), lenet, fednet, or a JSON file; fused as --fusion says (default: fisher-diagonal)',
    )
    .option('--epochs <n>', 'with --network: passes over the rows (default: 30)')
    .option(
      '--training-rounds <n>',
      'with --network: rounds of training and fusing; each asks all sites again (default: 1)',
    )
    .option(
      '--repair-head',
      'with --network: one more contact, which fits the last layer exactly on all rows',
    );
}

/** The fusion of networks that flags ask for. */
export function networkFusionOf(kind: string | undefined, flags: NetworkFlags): Fusion {
  const { network, epochs, trainingRounds, repairHead } = flags;
  if (network === undefined) {
    throw new UsageError(
      `--fusion ${kind} fuses networks, and none is given`,
      'add --network 64,32 (two dense layers), --network lenet, or a JSON file of layers',
    );
  }
  const terms = {
    kind: kind ?? 'fisher-diagonal',
    network: networkOf(network),
    ...(epochs === undefined ? {} : { training: { epochs: upTo(MOST_EPOCHS, 'epochs', epochs) } }),
    ...defined({
      rounds:
        trainingRounds === undefined
          ? undefined
          : upTo(MOST_TRAINING_ROUNDS, 'trainingRounds', trainingRounds),
    }),
    ...(repairHead === true ? { head: 'ridge' } : {}),
  };
  return terms as Fusion;
}

/** A whole number from 1 to the most that a study may say. */
function upTo(most: number, key: keyof NetworkFlags, text: string): number {
  const flag = networkFlagNames[key];
  const value = wholeNumber(flag, text);
  if (value <= most) return value;
  throw new UsageError(`${flag} is at most ${most}: ${text}`, `try ${flag} ${most}`);
}

const known: ReadonlyMap<string, Network> = new Map([
  ['lenet', leNet],
  ['fednet', fedNet],
]);

function networkOf(text: string): Network {
  const named = known.get(text.toLowerCase());
  if (named !== undefined) return named;
  if (/^\d+(,\d+)*$/.test(text)) return perceptron(...text.split(',').map(Number));
  return fileOf(text);
}

/** Most bytes of a file of layers: forty layers take a few thousand. */
const MOST_BYTES = 2 ** 20;

const unreadable: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'is no file'],
  ['EISDIR', 'is a folder'],
  ['EACCES', 'may not be read'],
]);

/** A network in a JSON file. */
function fileOf(path: string): Network {
  let json: unknown;
  try {
    if (statSync(path).size <= MOST_BYTES) json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (failure) {
    const { code = '' } = failure as NodeJS.ErrnoException;
    const why = unreadable.get(code) ?? 'is not JSON';
    throw new UsageError(
      `--network: ${path} ${why}`,
      'give units of dense layers (64,32), lenet, fednet, or a JSON file such as {"layers": [{"kind": "dense", "units": 64}, {"kind": "relu"}]}',
    );
  }
  if (isNetwork(json)) return json;
  throw new UsageError(
    `--network: ${path} is no network`,
    'write {"layers": […]}: layers are dense (units), convolution (channels, size), max-pool (size) and relu',
  );
}

/** What each kind of layer must have; the rest is checked with the study. Loading its schema takes a tenth of a second. */
const needs: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['dense', ['units']],
  ['convolution', ['channels', 'size']],
  ['max-pool', ['size']],
  ['relu', []],
]);

function isNetwork(json: unknown): json is Network {
  const { layers } = Object(json) as { readonly layers?: unknown };
  return Array.isArray(layers) && layers.every(isLayer);
}

function isLayer(layer: unknown): boolean {
  const given = Object(layer) as Readonly<Record<string, unknown>>;
  const wanted = needs.get(given.kind);
  return wanted?.every((name) => Number.isInteger(given[name])) === true;
}
