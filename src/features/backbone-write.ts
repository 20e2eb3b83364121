import { samePadding } from '../numeric/same-padding.ts';
import type { ImageShape } from '../study/study.ts';
import {
  type BackboneBlock,
  type BackboneLayer,
  backboneBlocks,
  blockOf,
  lastLayer,
  stem,
  type WeightPlace,
} from './backbone-blocks.ts';
import { LARGEST_FEATURE, layerUnits } from './backbone-mapper.ts';
import { resizeMatrix } from './backbone-resize.ts';
import { weightReader } from './backbone-weights.ts';
import type { ImageWriter, WrittenFilters, WrittenImages } from './image-writer.ts';
import type { MapWriter } from './map-writer.ts';
import type { PublicUnit } from './public-unit.ts';

/** The network to write: its file, and what goes in and comes out. */
export interface WrittenBackbone {
  /** The bytes of the file; read only if the language has operations on images. */
  weights(): Uint8Array;
  readonly layers: readonly BackboneLayer[];
  readonly pixels: number;
  readonly image: ImageShape;
  /** Of the inputs. */
  readonly unit: PublicUnit;
}

/** 1/6 as the model's file has it, in float16. */
const SIXTH = 0.1666259765625;

/** The features of `backboneMapper` for other programs, to rounding; weights of layers that no feature needs are left out. */
export function writeBackbone<Matrix>(
  { inputs, images }: MapWriter<Matrix>,
  { weights, layers, pixels, image, unit }: WrittenBackbone,
): Matrix {
  const writer = images();
  const { read, resample, beside, convolve, channelMeans, clip, columns } = writer;
  const filtersAt = filterReader(weights());
  const raw = { center: -unit.center / unit.scale, scale: 1 / unit.scale };
  const given = read(
    inputs,
    image,
    Array.from({ length: image.channels }, () => raw),
  );
  const sized = resample(
    given,
    resizeMatrix(image.height, pixels),
    resizeMatrix(image.width, pixels),
  );
  const coloured = image.channels === 3 ? sized : beside([sized, sized, sized]);
  const last = Math.max(...layers.map(blockOf));
  const kept = new Map<number, WrittenImages>();
  const first = { ...filtersAt(stem.place, 3, 3, stem.channels), ...same(coloured.width, 3, 2) };
  let values = hardSwish(writer, convolve(coloured, first));
  backboneBlocks.slice(0, last + 1).forEach((block, k) => {
    const filtered = depthwise(writer, block, filtersAt, values);
    kept.set(k, filtered);
    if (k < last) values = finished(writer, block, filtersAt, values, filtered);
  });
  if (last === backboneBlocks.length) {
    const { place, channels } = lastLayer;
    kept.set(last, convolve(values, filtersAt(place, 1, values.channels, channels)));
  }
  const features = layers.map((layer) => {
    const units = layerUnits(layer);
    return convolve(channelMeans(kept.get(blockOf(layer))!), {
      size: 1,
      weights: Float32Array.from(units, ({ scale }) => 1 / scale),
      biases: Float32Array.from(units, ({ center, scale }) => -center / scale),
      groups: units.length,
    });
  });
  return columns(clip(beside(features), -LARGEST_FEATURE, LARGEST_FEATURE));
}

type FilterReader = (
  place: WeightPlace,
  size: number,
  given: number,
  made: number,
) => WrittenFilters;

/** Reads filters, which the file has as row → column → channel → filter. */
function filterReader(bytes: Uint8Array): FilterReader {
  const read = weightReader(bytes);
  return ([weights, biases], size, given, made) => {
    const taps = size * size;
    const stored = read(weights, taps * given * made);
    const turned = new Float32Array(stored.length);
    stored.forEach((value, at) => {
      const filter = at % made;
      const channel = Math.floor(at / made) % given;
      const tap = Math.floor(at / (made * given));
      turned[(filter * given + channel) * taps + tap] = value;
    });
    return { size, weights: turned, biases: read(biases, made) };
  };
}

/** The stride, and the padding that gives ⌈length / stride⌉ values. */
function same(
  length: number,
  size: number,
  stride: number,
): Required<Pick<WrittenFilters, 'stride' | 'padding'>> {
  const made = Math.ceil(length / stride);
  const before = samePadding(length, size, stride);
  const behind = Math.max(0, (made - 1) * stride + size - length) - before;
  return { stride, padding: [before, behind] };
}

/** A block up to its depthwise layer, before the activation. */
function depthwise<Matrix>(
  writer: ImageWriter<Matrix>,
  { channels: [given, inside], expand, depthwise: place, filter, activation }: BackboneBlock,
  filtersAt: FilterReader,
  values: WrittenImages,
): WrittenImages {
  const [size, stride] = filter;
  const input =
    expand === undefined
      ? values
      : activated(writer, activation, writer.convolve(values, filtersAt(expand, 1, given, inside)));
  const filters = { ...filtersAt(place, size, 1, inside), groups: inside };
  return writer.convolve(input, { ...filters, ...same(input.width, size, stride) });
}

/** The rest of a block. */
function finished<Matrix>(
  writer: ImageWriter<Matrix>,
  { channels: [given, inside, made], filter, gate, project, activation }: BackboneBlock,
  filtersAt: FilterReader,
  values: WrittenImages,
  filtered: WrittenImages,
): WrittenImages {
  const { convolve, clip, scale, multiply, add, channelMeans } = writer;
  let inner = activated(writer, activation, filtered);
  if (gate !== undefined) {
    const squeeze = filtersAt(gate.squeeze, 1, inside, gate.channels);
    const excite = filtersAt(gate.excite, 1, gate.channels, inside);
    const gates = convolve(clip(convolve(channelMeans(inner), squeeze), 0), excite);
    inner = multiply(inner, scale(relu6(writer, gates), SIXTH));
  }
  const projected = convolve(inner, filtersAt(project, 1, inside, made));
  return given === made && filter[1] === 1 ? add(projected, values) : projected;
}

function activated<Matrix>(
  writer: ImageWriter<Matrix>,
  activation: BackboneBlock['activation'],
  values: WrittenImages,
): WrittenImages {
  return activation === 'relu' ? writer.clip(values, 0) : hardSwish(writer, values);
}

function hardSwish<Matrix>(writer: ImageWriter<Matrix>, values: WrittenImages): WrittenImages {
  return writer.multiply(writer.scale(values, SIXTH), relu6(writer, values));
}

/** v + 3 within 0 and 6. */
function relu6<Matrix>({ clip, shift }: ImageWriter<Matrix>, values: WrittenImages): WrittenImages {
  return clip(shift(values, 3), 0, 6);
}
