import { conclude } from '../src/conclude.ts';
import type { Report } from '../src/model/report.ts';
import { perceptron } from '../src/network/known-networks.ts';
import { imageValues, plainValues } from '../src/network/network-plan.ts';
import { type ImageStudy, pixelNames } from '../src/study/image-study.ts';
import type { Feature, ImageShape, Study, TableStudy } from '../src/study/study.ts';
import { csvReader } from '../src/table/csv.ts';
import { sniff } from '../src/table/dialect.ts';
import { backboneDigest } from './backbone-digest.ts';
import { drawnNetwork } from './drawn-network.ts';
import { agreement, collect, contribution, reduction } from './linear.ts';
import { distilledDigest, networkDigest } from './network-digest.ts';

/** CSV text to reports, images to features, and a trained network with its Fisher information, with nothing but the library: the same in Node, on a page and in a worker. */
export function fitInBrowser(): readonly (Report | string)[] {
  return [
    fitOf(tableStudy({}), siteText),
    ...maps.map((map) => fitOf(tableStudy({ features: [map] }), siteText)),
    fitOf(imageStudy, imageText),
    fitOf({ ...imageStudy, features: [convolutions] }, imageText),
    backboneDigest(),
    networkDigest(),
    distilledDigest(),
  ];
}

/** A map of each kind, and every function of a kernel. */
const maps: readonly Feature[] = [
  { kind: 'projection', dimension: 3, seed: 7 },
  { kind: 'projection', matrix: 'sparse', dimension: 3, seed: 7 },
  { kind: 'projection', matrix: 'hadamard', dimension: 3, seed: 7 },
  { kind: 'fourier', dimension: 14, kernel: 'matern-5/2', orthogonal: true, seed: 7 },
  { kind: 'fourier', dimension: 6, kernel: 'laplace', bandwidth: 0.001, seed: 7 },
  { kind: 'nystrom', landmarks: 6, kernel: 'matern-3/2' },
  { kind: 'nystrom', landmarks: 4, kernel: 'laplace' },
  { kind: 'tangent', dimension: 6, seed: 7 },
  { kind: 'arccosine', dimension: 5, degree: 2, seed: 7 },
  { kind: 'residual', dimension: 4, seed: 7 },
  drawnNetwork(perceptron(6, 4), plainValues(6), 7),
];

const shape: ImageShape = { height: 9, width: 8, channels: 3 };

const convolutions = drawnNetwork(
  {
    layers: [
      { kind: 'convolution', channels: 3, size: 3 },
      { kind: 'relu' },
      { kind: 'max-pool', size: 2 },
    ],
  },
  imageValues(shape),
  7,
);

/** Images with random convolution features, on the coarse grid. */
const imageStudy: ImageStudy = {
  schema: 'suffice/study@1',
  data: { kind: 'images', ...shape, classes: ['a', 'b', 'c'] },
  fusion: { kind: 'ridge', ridge: 1 },
  arithmetic: 'exact',
};

function tableStudy(features: Pick<TableStudy, 'features'>): Study {
  return {
    schema: 'suffice/study@1',
    formula: 'y ~ x + log(z) + I(x^2) + g',
    codebook: {
      y: { type: 'number', range: [-1000, 1000] },
      x: { type: 'number', range: [0, 100] },
      z: { type: 'number', range: [1, 50] },
      g: { type: 'category', levels: ['a', 'b', 'c'] },
    },
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    ...features,
  };
}

function fitOf(study: Study, textOf: (seed: number) => string): Report {
  const agreed = agreement(study);
  const sites = ['north', 'south', 'west'].map((name, k) => {
    const bytes = new TextEncoder().encode(textOf(k + 1));
    const { dialect, header } = sniff(bytes, []);
    const site = reduction(agreed, { file: name, missing: 'drop' });
    const plan = { file: name, dialect, header, columns: agreed.columns };
    const reader = csvReader(plan, (block, firstRow) => site.add(block, (r) => firstRow + r));
    for (let from = 0; from < bytes.length; ) {
      const space = reader.space();
      const piece = bytes.subarray(from, from + space.length);
      space.set(piece);
      reader.commit(piece.length);
      from += piece.length;
    }
    reader.end();
    return { name, summary: site.finish() };
  });
  const sent = collect(
    agreed,
    sites.map(({ name, summary }) => contribution(agreed, name, summary)),
  );
  const lines = sites.map(({ name, summary }) => ({
    name,
    n: summary.rows,
    dropped: summary.dropped,
  }));
  const found = conclude(agreed, sent, { sites: lines, audience: 'owner' });
  if ('problem' in found) throw new Error(found.problem);
  return found.report;
}

function drawing(seed: number): (scale: number) => number {
  let state = seed;
  return (scale) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32) * scale;
  };
}

function imageText(seed: number): string {
  const next = drawing(seed);
  const names = pixelNames(shape);
  const lines = Array.from({ length: 60 }, () => {
    const kind = Math.floor(next(3));
    const pixels = names.map((_, k) => Math.floor(next(k % (kind + 4) === 0 ? 256 : 90)));
    return ['abc'[kind], ...pixels].join();
  });
  return `class,${names.join()}\n${lines.join('\n')}\n`;
}

function siteText(seed: number): string {
  const next = drawing(seed);
  const lines = Array.from({ length: 1000 }, (_, r) => {
    const [x, z] = [next(100), 1 + next(49)];
    const y = r % 97 === 0 ? 'NA' : String(x * 3 - z + next(20));
    return `${y},${x},${z},${'abc'[Math.floor(next(3))]}`;
  });
  return `y,x,z,g\n${lines.join('\n')}\n`;
}
