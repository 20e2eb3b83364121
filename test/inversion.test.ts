import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { codeNetwork } from '../experiments/fisher/code-network.ts';
import { factorSlopes } from '../experiments/fisher/factor-slopes.ts';
import {
  type Digits,
  digitExamples,
  PIXELS,
  splitDigits,
  TARGET,
} from '../experiments/fisher/inversion-data.ts';
import { CODE, HIDDEN } from '../experiments/fisher/inversion-prior.ts';
import { inversionResult } from '../experiments/fisher/inversion-result.ts';
import { digitPlan, inversionTrial, trainedOn } from '../experiments/fisher/inversion-trial.ts';
import { structural } from '../experiments/fisher/similarity.ts';
import { experimentSection } from '../experiments/page/experiment-section.ts';
import { layerGrams } from '../src/network/kfac.ts';
import { seededWords } from '../src/random/seeded-words.ts';

const { ssim } = JSON.parse(readFileSync(new URL('./vectors/ssim.json', import.meta.url), 'utf8'));
const random = seededWords(5);
const uniform = () => random() / 2 ** 31 - 1;
const drawn = (length: number, size: number) =>
  Float32Array.from({ length }, () => size * uniform());

/** Images of ten classes: class c has a bar in its own rows; all have some noise. */
function bars(count: number): Digits {
  const labels = Uint8Array.from({ length: count }, (_, k) => k % 10);
  const pixels = new Float32Array(count * PIXELS);
  labels.forEach((label, row) => {
    for (let k = 0; k < PIXELS; k++) {
      const inside = Math.floor(k / 56) === label + 2 && k % 28 > 3 && k % 28 < 24;
      pixels[row * PIXELS + k] = (inside ? 0.8 : 0) + 0.1 * Math.abs(uniform());
    }
  });
  return { count, pixels, labels };
}

const digits = bars(400);
const own = trainedOn(
  digits,
  Uint32Array.from(digits.labels, (_, row) => row),
  4,
  1,
);
const generator = {
  first: drawn(HIDDEN * (CODE + 1), 0.3),
  second: drawn(PIXELS * (HIDDEN + 1), 0.2),
};

describe('slopes by the codes', () => {
  it.each([
    ['all layers', undefined],
    ['the images', 0],
    ['the inputs of the second convolution', 1],
    ['the inputs of a dense layer', 3],
  ])('are those of differences, through %s', (_, until) => {
    const images = 2;
    const network = codeNetwork(generator, digitPlan, own, images, until);
    const codes = drawn(CODE * images, 1);
    const weights = drawn(network.forward(codes).length, 1);
    const value = (at: Float32Array) =>
      network.forward(at).reduce((sum, output, k) => sum + output * weights[k]!, 0);
    network.forward(codes);
    const slopes = network.backward(weights);
    const scale = Math.max(...slopes.map(Math.abs));
    for (const k of [0, 17, CODE * images - 1]) {
      const moved = (by: number) => codes.map((code, at) => (at === k ? code + by : code));
      const expected = (value(moved(1e-3)) - value(moved(-1e-3))) / 2e-3;
      expect(Math.abs(slopes[k]! - expected)).toBeLessThan(0.03 * scale);
    }
  });
});

describe('slopes of the difference of factors', () => {
  it.each([0, 2])('are those of differences, layer %i', (index) => {
    const images = 2;
    const rows = Uint32Array.of(0, 1);
    const layer = digitPlan.layers.filter((one) => 'weights' in one)[index]!;
    const sent = layerGrams(digitPlan, own, digitExamples(digits, Uint32Array.of(3, 4)))[index]!;
    const found = layerGrams(digitPlan, own, digitExamples(digits, rows))[index]!;
    const norm = sent.reduce((sum, entry) => sum + entry * entry, 0);
    const inputs = new Float32Array(
      images * layer.from.channels * layer.from.height * layer.from.width,
    );
    if (index > 0) inputs.set(drawn(inputs.length, 1).map(Math.abs));
    else for (const k of rows) digitExamples(digits, rows).fill(inputs, k * PIXELS, k);
    const { columns, positions } = layer.weights as { columns: number; positions: number };
    const side = Math.sqrt(positions);
    const factor = (values: Float32Array) => {
      const sum = new Float64Array(columns * columns);
      for (let image = 0; image < images; image++) {
        for (let p = 0; p < positions; p++) {
          const x = Array.from({ length: columns }, (_, k) => {
            if (positions === 1) return values[image * columns + k]!;
            const [y, across] = [Math.floor(p / side) + Math.floor(k / 5), (p % side) + (k % 5)];
            return values[image * PIXELS + y * 28 + across]!;
          });
          for (let i = 0; i < columns; i++) {
            for (let j = 0; j < columns; j++) sum[i * columns + j]! += (x[i]! * x[j]!) / images;
          }
        }
      }
      return sum;
    };
    if (index === 0) {
      const again = factor(inputs);
      expect(Math.max(...found.map((entry, k) => Math.abs(again[k]! - entry)))).toBeLessThan(0.05);
    }
    const loss = (values: Float32Array) =>
      (factor(values).reduce((sum, entry, k) => sum + (entry - sent[k]!) * (entry - sent[k]!), 0) *
        3 *
        images) /
      norm;
    const slopes = factorSlopes(layer as never, sent, images, 3)(inputs);
    const sizes = slopes.map(Math.abs);
    const most = Math.max(...sizes);
    for (const k of [sizes.indexOf(most), 3]) {
      const moved = (by: number) => inputs.map((value, at) => (at === k ? value + by : value));
      const expected = (loss(moved(0.01)) - loss(moved(-0.01))) / 0.02;
      expect(Math.abs(slopes[k]! - expected)).toBeLessThan(0.02 * most);
    }
  });
});

describe('the setting of Appendix E', () => {
  it('gives every digit to one client, the target class to the first, and none of it to the server', () => {
    const { clients, auxiliary } = splitDigits(digits, 30, 100, 7);
    const all = clients.flatMap((rows) => [...rows]).sort((a, b) => a - b);
    expect(all).toEqual(Array.from(digits.labels, (_, row) => row));
    expect(clients).toHaveLength(10);
    expect([...clients[0]!].filter((row) => digits.labels[row] === TARGET)).toHaveLength(40);
    expect(clients[0]).toHaveLength(70);
    const first = new Set(clients[0]);
    expect([...auxiliary].some((row) => first.has(row))).toBe(false);
    expect(auxiliary).toHaveLength(100);
  });
});

describe('a trial on bars in place of digits', () => {
  const sizes = {
    ...{ digits: 400, others: 10, auxiliary: 100, epochs: 3, generatorEpochs: 10 },
    ...{ images: 4, steps: 8, unseen: 5 },
  };
  const steps = inversionTrial({ digits, test: bars(100), judge: own, sizes, seed: 1 });
  let next = steps.next();
  const shares: number[] = [];
  for (; next.done !== true; next = steps.next()) shares.push(next.value.share);
  const trial = next.value;
  const of = (way: string) => trial.rebuilt.find((one) => one.way === way)!;

  it('reads the mean of the client’s images in the K-FAC, and rebuilds more from its model than from nothing', () => {
    const { clients } = splitDigits(digits, sizes.others, sizes.auxiliary, 1);
    const mean = Float32Array.from({ length: PIXELS }, (_, k) => {
      const values = Array.from(clients[0]!, (row) => digits.pixels[row * PIXELS + k]!);
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    });
    const [read] = of('bias').shown;
    expect(Math.max(...read!.map((pixel, k) => Math.abs(pixel - mean[k]!)))).toBeLessThan(1e-4);
    expect(of('bias').ssim).toBeGreaterThan(of('mean').ssim);
    expect(of('local').ssim).toBeGreaterThan(of('nothing').ssim - 0.05);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });

  it('is shown with its pictures and both readings of the paper’s statement', () => {
    const result = inversionResult([trial, trial], sizes, 1);
    expect(result.tables[0]!.rows).toHaveLength(6);
    expect(
      result.tables[0]!.rows.every(({ cells }) =>
        cells.every((cell) => Number.isFinite(cell.measured!.mean)),
      ),
    ).toBe(true);
    const page = experimentSection(result);
    const { rows } = result.pictures![0]!;
    expect(rows.map(({ images }) => images.length)).toEqual([4, 4, 4, 4, 1, 1]);
    expect(rows[0]!.images[0]).toMatch(/^\d{784}$/);
    // A bar is drawn where it is: the mean of the client's images has one in the rows of the target class.
    expect(page.match(/<path stroke-opacity/g)).toHaveLength(4 * rows.length);
    expect(page).toContain(`M4 ${2 * (TARGET + 2)}.5h20`);
  });
});

it('SSIM is what numpy has by its definition', () => {
  const wave = (k: number, step: number) => ((k * step) % 29) / 29;
  const a = Float32Array.from({ length: PIXELS }, (_, k) => wave(k, 7));
  const b = Float32Array.from({ length: PIXELS }, (_, k) => 0.5 * wave(k, 7) + 0.5 * wave(k, 11));
  expect(structural(a, a)).toBeCloseTo(1, 12);
  expect(structural(a, b)).toBeCloseTo(ssim, 10);
});
