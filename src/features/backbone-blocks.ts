/** Where a layer of the model's file has its weights and its biases: offsets in bytes. Values are float16, little-endian. */
export type WeightPlace = readonly [weights: number, biases: number];

/** An inverted residual block of MobileNetV3, batch normalisation folded into its weights as the file has them. */
export interface BackboneBlock {
  /** Channels of its input, inside it, and of its output. */
  readonly channels: readonly [given: number, inside: number, made: number];
  /** The 1×1 convolution to the channels inside; the first block has none. */
  readonly expand?: WeightPlace;
  /** Side of the depthwise filters and their stride. */
  readonly filter: readonly [size: 3 | 5, stride: 1 | 2];
  readonly depthwise: WeightPlace;
  /** Squeeze and excite: channels between its two layers. */
  readonly gate?: {
    readonly channels: number;
    readonly squeeze: WeightPlace;
    readonly excite: WeightPlace;
  };
  readonly project: WeightPlace;
  readonly activation: 'relu' | 'hard-swish';
}

/** Bytes of the file. */
export const BACKBONE_BYTES = 4_030_290;

/** The first layer: 3×3 with stride 2, from 3 channels to 16, then hard-swish. */
export const stem = { channels: 16, place: [1916226, 1966242] as WeightPlace };

/** expanded_conv, expanded_conv_1 … expanded_conv_14 of `models/centernet.json` (@vladmandic/human 3.3.6). */
export const backboneBlocks: readonly BackboneBlock[] = [
  {
    channels: [16, 16, 16],
    filter: [3, 1],
    depthwise: [1966274, 1966562],
    project: [1966594, 1967106],
    activation: 'relu',
  },
  {
    channels: [16, 64, 24],
    expand: [1967138, 1969378],
    filter: [3, 2],
    depthwise: [1969506, 1970658],
    project: [1970786, 1973858],
    activation: 'relu',
  },
  {
    channels: [24, 72, 24],
    expand: [1973906, 1977362],
    filter: [3, 1],
    depthwise: [1977506, 1978802],
    project: [1978946, 1982402],
    activation: 'relu',
  },
  {
    channels: [24, 72, 32],
    expand: [1982450, 1985906],
    filter: [5, 2],
    depthwise: [2013254, 2016854],
    gate: {
      channels: 24,
      squeeze: [1851128, 1854584],
      excite: [1854632, 1858088],
    },
    project: [2044134, 2048870],
    activation: 'relu',
  },
  {
    channels: [32, 96, 32],
    expand: [2048934, 2055078],
    filter: [5, 1],
    depthwise: [2055270, 2060070],
    gate: {
      channels: 24,
      squeeze: [1841660, 1846268],
      excite: [1846316, 1850924],
    },
    project: [2060262, 2066406],
    activation: 'relu',
  },
  {
    channels: [32, 96, 32],
    expand: [2066470, 2080806],
    filter: [5, 1],
    depthwise: [2085718, 2090518],
    gate: {
      channels: 24,
      squeeze: [1832192, 1836800],
      excite: [1836848, 1841456],
    },
    project: [2095510, 2101654],
    activation: 'relu',
  },
  {
    channels: [32, 192, 64],
    expand: [2101718, 2114006],
    filter: [3, 2],
    depthwise: [2114390, 2117846],
    project: [2118230, 2142806],
    activation: 'hard-swish',
  },
  {
    channels: [64, 160, 64],
    expand: [2142934, 2163414],
    filter: [3, 1],
    depthwise: [2163734, 2166614],
    project: [2166934, 2187414],
    activation: 'hard-swish',
  },
  {
    channels: [64, 144, 64],
    expand: [2187542, 2205974],
    filter: [3, 1],
    depthwise: [2206262, 2208854],
    project: [2209142, 2227574],
    activation: 'hard-swish',
  },
  {
    channels: [64, 144, 64],
    expand: [2227702, 2246134],
    filter: [3, 1],
    depthwise: [2246422, 2249014],
    project: [2249302, 2267734],
    activation: 'hard-swish',
  },
  {
    channels: [64, 384, 88],
    expand: [2267862, 2317014],
    filter: [3, 1],
    depthwise: [2317782, 2324694],
    gate: {
      channels: 96,
      squeeze: [1683732, 1757460],
      excite: [1757652, 1831380],
    },
    project: [2325462, 2393046],
    activation: 'hard-swish',
  },
  {
    channels: [88, 528, 88],
    expand: [2393222, 2486150],
    filter: [3, 1],
    depthwise: [2487206, 2496710],
    gate: {
      channels: 136,
      squeeze: [1395152, 1538768],
      excite: [1539040, 1682656],
    },
    project: [2497766, 2590694],
    activation: 'hard-swish',
  },
  {
    channels: [88, 528, 120],
    expand: [2594786, 2687714],
    filter: [5, 2],
    depthwise: [2694658, 2721058],
    gate: {
      channels: 136,
      squeeze: [1106576, 1250192],
      excite: [1250464, 1394080],
    },
    project: [2722114, 2848834],
    activation: 'hard-swish',
  },
  {
    channels: [120, 720, 120],
    expand: [2849074, 3021874],
    filter: [5, 1],
    depthwise: [3023314, 3059314],
    gate: {
      channels: 184,
      squeeze: [574828, 839788],
      excite: [840156, 1105116],
    },
    project: [3060754, 3233554],
    activation: 'hard-swish',
  },
  {
    channels: [120, 720, 120],
    expand: [3233794, 3406594],
    filter: [5, 1],
    depthwise: [3408034, 3444034],
    gate: {
      channels: 184,
      squeeze: [43080, 308040],
      excite: [308408, 573368],
    },
    project: [3445474, 3618274],
    activation: 'hard-swish',
  },
];

/** extern1, the layer after the blocks: 1×1, from 120 channels to 480. */
export const lastLayer = { channels: 480, place: [3618514, 3733714] as WeightPlace };

/** Layers whose channel means are features, with their channels: depthwise layers of blocks, and extern1; before activation. */
export const backboneLayers = {
  conv_8: 144,
  conv_11: 528,
  conv_13: 720,
  conv_14: 720,
  extern1: 480,
} as const;

/** A layer of the backbone, by name. */
export type BackboneLayer = keyof typeof backboneLayers;

/** The block of a layer; the number of blocks for the layer after them. */
export function blockOf(layer: BackboneLayer): number {
  const number = /^conv_(\d+)$/.exec(layer)?.[1];
  return number === undefined ? backboneBlocks.length : Number(number);
}
