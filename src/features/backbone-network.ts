import { networkKernels } from '../numeric/kernels.ts';
import { samePadding } from '../numeric/same-padding.ts';
import type { ImageShape } from '../study/study.ts';
import {
  type BackboneBlock,
  type BackboneLayer,
  backboneBlocks,
  backboneLayers,
  blockOf,
  lastLayer,
  stem,
} from './backbone-blocks.ts';
import { resizeTables } from './backbone-resize.ts';
import { type LoadedLayer, weightLoader } from './backbone-weights.ts';

/** The part of the model that the asked layers need, for images of one form. */
export interface BackboneNetwork {
  /** Most images of one run. A run of one image gives the same bits. */
  readonly most: number;
  /** Pixels of the images, one after the other, as the study's columns are, from 0 to 255. */
  readonly pixels: Float32Array;
  /** Features of the images, one image after the other. */
  readonly features: Float32Array;
  /** Computes the features of the first `images` images. */
  run(images: number): void;
}

const NONE = 0;
const RELU = 1;
const HARD_SWISH = 2;
const GATE = 3;

/** Images that share a pass over the weights of the later blocks. */
const BATCH = 8;
/** From this block on an image has so few pixels that images go through together. */
const FIRST_SHARED = 7;

interface LoadedBlock extends BackboneBlock {
  readonly own: {
    readonly expand?: LoadedLayer;
    readonly depthwise: LoadedLayer;
    readonly squeeze?: LoadedLayer;
    readonly excite?: LoadedLayer;
    readonly project: LoadedLayer;
  };
}

/** The network of the model's bytes: images are resized to `size` × `size` and run up to the last of the asked layers. */
export function backboneNetwork(
  bytes: Uint8Array,
  layers: readonly BackboneLayer[],
  size: number,
  image: ImageShape,
): BackboneNetwork {
  const kernels = networkKernels();
  const { call } = kernels;
  const load = weightLoader(kernels, bytes);
  const last = Math.max(...layers.map(blockOf));
  const blocks: readonly LoadedBlock[] = backboneBlocks.slice(0, last + 1).map((block) => {
    const [given, inside, made] = block.channels;
    const { gate } = block;
    return {
      ...block,
      own: {
        ...(block.expand && { expand: load.matrix(block.expand, given, inside) }),
        depthwise: load.filters(block.depthwise, block.filter[0], inside),
        ...(gate && {
          squeeze: load.matrix(gate.squeeze, inside, gate.channels),
          excite: load.matrix(gate.excite, gate.channels, inside),
        }),
        project: load.matrix(block.project, inside, made),
      },
    };
  });
  const first = load.matrix(stem.place, 27, stem.channels);
  const end = load.matrix(lastLayer.place, backboneBlocks.at(-1)!.channels[2], lastLayer.channels);

  const sides = [Math.ceil(size / 2)];
  for (const { filter } of blocks) sides.push(Math.ceil(sides.at(-1)! / filter[1]));
  const imagesAt = (k: number) => (k < FIRST_SHARED ? 1 : BATCH);
  const most = (values: (block: LoadedBlock, k: number) => number) =>
    4 * Math.max(...blocks.map((block, k) => imagesAt(k) * values(block, k)));
  const width = layers.reduce((sum, layer) => sum + backboneLayers[layer], 0);
  const values = image.height * image.width * image.channels;
  const space = (bytesOf: number) => kernels.allocate(bytesOf);
  const given = space(4 * BATCH * values);
  const resized = space(4 * size * size * image.channels);
  const coloured = image.channels === 3 ? resized : space(4 * size * size * 3);
  const patches = space(4 * sides[0] ** 2 * 27);
  const outer = () =>
    space(
      Math.max(
        4 * sides[0] ** 2 * stem.channels,
        most(({ channels }, k) => sides[k] ** 2 * channels[0]),
        most(({ channels }, k) => BATCH * sides[k + 1] ** 2 * channels[2]),
      ),
    );
  const [even, odd] = [outer(), outer()];
  const shared = space(4 * BATCH * sides[Math.min(FIRST_SHARED, sides.length - 1)] ** 2 * 64);
  const expanded = space(most(({ channels }, k) => sides[k] ** 2 * channels[1]));
  const filtered = space(
    Math.max(
      most(({ channels }, k) => sides[k + 1] ** 2 * channels[1]),
      4 * BATCH * sides.at(-1)! ** 2 * lastLayer.channels,
    ),
  );
  const means = space(most(({ channels }) => channels[1]));
  const squeezed = space(most(({ gate }) => gate?.channels ?? 0));
  const gates = space(most(({ channels }) => channels[1]));
  const made = space(4 * BATCH * width);
  const { rows, columns } = resizeTables(kernels, image, size);

  const place = new Map<number, number>();
  let at = 0;
  for (const layer of layers) {
    place.set(blockOf(layer), at);
    at += backboneLayers[layer];
  }
  /** Means of the channels of some images, where the layer was asked for. */
  const keep = (k: number, source: number, side: number, channels: number, images: number) => {
    const offset = place.get(k);
    if (offset === undefined) return;
    for (let i = 0; i < images; i++) {
      const target = made + 4 * (i * width + offset);
      call.channelMeans(source + 4 * i * side ** 2 * channels, side ** 2, channels, target);
    }
  };

  const runBlock = (k: number, source: number, target: number, images: number) => {
    const { channels, filter, own, activation, gate } = blocks[k];
    const [given, inside, out] = channels;
    const [from, to] = [sides[k], sides[k + 1]];
    const [side, stride] = filter;
    const act = activation === 'relu' ? RELU : HARD_SWISH;
    const pixels = images * to ** 2;
    let input = source;
    if (own.expand !== undefined) {
      const { weights, biases } = own.expand;
      const before = images * from ** 2;
      call.pointwise(source, before, given, weights, biases, inside, expanded, act, 0);
      input = expanded;
    }
    const kept = place.has(k);
    const { weights, biases } = own.depthwise;
    const before = samePadding(from, side, stride);
    for (let i = 0; i < images; i++) {
      call.depthwise(
        ...[input + 4 * i * from ** 2 * inside, from, from, inside, weights, biases],
        ...[side, stride, before, filtered + 4 * i * to ** 2 * inside, to, to, kept ? NONE : act],
      );
    }
    keep(k, filtered, to, inside, images);
    if (k === last) return;
    if (kept) call.activateAll(filtered, pixels * inside, act);
    if (own.squeeze !== undefined && own.excite !== undefined && gate !== undefined) {
      const { squeeze, excite } = own;
      for (let i = 0; i < images; i++) {
        const values = filtered + 4 * i * to ** 2 * inside;
        call.channelMeans(values, to ** 2, inside, means + 4 * i * inside);
      }
      call.pointwise(
        ...[means, images, inside, squeeze.weights, squeeze.biases, gate.channels],
        ...[squeezed, RELU, 0],
      );
      call.pointwise(
        ...[squeezed, images, gate.channels, excite.weights, excite.biases, inside],
        ...[gates, GATE, 0],
      );
      for (let i = 0; i < images; i++) {
        const values = filtered + 4 * i * to ** 2 * inside;
        call.scaleChannels(values, to ** 2, inside, gates + 4 * i * inside);
      }
    }
    const residual = given === out && stride === 1 ? source : 0;
    const { project } = own;
    call.pointwise(
      ...[filtered, pixels, inside, project.weights, project.biases, out, target, NONE, residual],
    );
  };

  /** Runs blocks `from` to `to`, not included; the result is where it says. */
  const runBlocks = (from: number, to: number, source: number, images: number): number => {
    let input = source;
    for (let k = from; k < Math.min(to, blocks.length); k++) {
      const target = input === even ? odd : even;
      runBlock(k, input, target, images);
      input = target;
    }
    return input;
  };

  const runFirst = (i: number) => {
    const source = given + 4 * i * values;
    call.resizeBilinear(source, image.channels, rows, columns, size, resized);
    if (coloured !== resized) call.repeatChannel(resized, size * size, coloured);
    call.patches(coloured, size, samePadding(size, 3, 2), patches, sides[0]);
    const { weights, biases } = first;
    const pixels = sides[0] ** 2;
    call.pointwise(patches, pixels, 27, weights, biases, stem.channels, even, HARD_SWISH, 0);
    const result = runBlocks(0, FIRST_SHARED, even, 1);
    const length = sides[FIRST_SHARED] ** 2 * 64;
    kernels.f32(shared + 4 * i * length, length).set(kernels.f32(result, length));
  };

  return {
    most: BATCH,
    get pixels() {
      return kernels.f32(given, BATCH * values);
    },
    get features() {
      return kernels.f32(made, BATCH * width);
    },
    run(images) {
      for (let i = 0; i < images; i++) runFirst(i);
      const result = runBlocks(FIRST_SHARED, blocks.length, shared, images);
      if (last < backboneBlocks.length) return;
      const side = sides.at(-1)!;
      const inner = backboneBlocks.at(-1)!.channels[2];
      const { weights, biases } = end;
      call.pointwise(
        ...[result, images * side ** 2, inner, weights, biases, lastLayer.channels],
        ...[filtered, NONE, 0],
      );
      keep(last, filtered, side, lastLayer.channels, images);
    },
  };
}
