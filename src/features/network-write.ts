import type { PixelScale } from '../network/network.ts';
import type { NetworkPlan, PlannedLayer, WeightBlock } from '../network/network-plan.ts';
import type { ImageShape } from '../study/study.ts';
import type { ImageWriter, WrittenImages } from './image-writer.ts';
import type { MapWriter } from './map-writer.ts';
import { pixelPlaces } from './network-inputs.ts';
import type { PublicUnit } from './public-unit.ts';

/** A network to write: a plan without the last layer, and its weights. */
export interface WrittenNetwork {
  readonly plan: NetworkPlan;
  readonly weights: Float32Array;
  /** If it takes images: their form, the scale of each channel, and the public unit of a pixel. */
  readonly pixels?: {
    readonly image: ImageShape;
    readonly scales: readonly PixelScale[];
    readonly unit: PublicUnit;
  };
}

/** The outputs of a network for other programs, to rounding: dense layers in their own precision, images in single. */
export function writeNetwork<Matrix>(
  writer: MapWriter<Matrix>,
  { plan, weights, pixels }: WrittenNetwork,
): Matrix {
  const { layers } = plan;
  if (pixels === undefined) return denseLayers(writer, writer.inputs, layers, weights);
  const { image, scales, unit } = pixels;
  const units = scales.map(({ mean, deviation }) => ({
    center: (255 * mean - unit.center) / unit.scale,
    scale: (255 * deviation) / unit.scale,
  }));
  const [first, ...rest] = layers;
  if (first?.kind === 'dense') {
    const places = pixelPlaces(image);
    const columns = Array.from(places, (_, k) => units[k % image.channels]);
    const { matrix, constant } = turned(first.weights, weights, places);
    const scaled = writer.standardise(writer.inputs, columns);
    return denseLayers(writer, writer.affine(scaled, matrix, constant), rest, weights);
  }
  const images = writer.images();
  const dense = layers.findIndex(({ kind }) => kind === 'dense');
  const end = dense < 0 ? layers.length : dense;
  let values = images.read(writer.inputs, image, units);
  for (const layer of layers.slice(0, end)) values = imageLayer(images, values, layer, weights);
  return denseLayers(writer, images.columns(values), layers.slice(end), weights);
}

function denseLayers<Matrix>(
  { affine, call }: MapWriter<Matrix>,
  from: Matrix,
  layers: readonly PlannedLayer[],
  weights: Float32Array,
): Matrix {
  return layers.reduce((values, layer) => {
    if (layer.kind !== 'dense') return call('relu', values);
    const { matrix, constant } = turned(layer.weights, weights);
    return affine(values, matrix, constant);
  }, from);
}

function imageLayer<Matrix>(
  { convolve, maxPool, clip }: ImageWriter<Matrix>,
  values: WrittenImages,
  layer: PlannedLayer,
  weights: Float32Array,
): WrittenImages {
  if (layer.kind === 'max-pool') return maxPool(values, layer.size);
  if (layer.kind !== 'convolution') return clip(values, 0);
  const { size, padding } = layer;
  const { rows, columns, bias, start } = layer.weights;
  const inputs = bias ? columns - 1 : columns;
  const filters = Float32Array.from(
    { length: rows * inputs },
    (_, k) => weights[start + Math.floor(k / inputs) * columns + (k % inputs)],
  );
  const biases = Float32Array.from({ length: rows }, (_, row) =>
    bias ? weights[start + row * columns + inputs] : 0,
  );
  return convolve(values, { size, weights: filters, biases, padding: [padding, padding] });
}

/** A layer as a matrix with a row for each input, and its constants; `places` says which input each row is of. */
function turned(
  { start, rows, columns, bias }: WeightBlock,
  weights: Float32Array,
  places?: Int32Array,
): { readonly matrix: Float64Array; readonly constant: Float64Array } {
  const inputs = bias ? columns - 1 : columns;
  const matrix = Float64Array.from({ length: inputs * rows }, (_, k) => {
    const input = Math.floor(k / rows);
    return weights[start + (k % rows) * columns + (places?.[input] ?? input)];
  });
  const constant = Float64Array.from({ length: rows }, (_, row) =>
    bias ? weights[start + row * columns + inputs] : 0,
  );
  return { matrix, constant };
}
