import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** One chart as the pages would draw it, with data that is hard to draw. */
export interface GalleryCase {
  readonly name: string;
  readonly chart: 'Bins' | 'Forest' | 'Lines' | 'HeatMap' | 'Histogram' | 'LevelBars';
  readonly props: Readonly<Record<string, unknown>>;
}

const long = 'bill_length_mm:species[Gentoo]:island[Torgersen] by sex[female]';
const title = 'A chart of the gallery';
const wave = (k: number) => Math.sin(12.9898 * (k + 1)) * 0.5;
const range = (count: number) => Array.from({ length: count }, (_, k) => k);
const names = (count: number) =>
  range(count).map((k) => (k === 2 ? long : `column_${k}${'_x'.repeat(k % 5)}`));
const correlations = (count: number) =>
  range(count).map((i) =>
    range(count).map((j) => {
      if (i === j) return 1;
      return (i + j) % 11 === 5 ? null : wave(i * j + i + j) * 1.9;
    }),
  );
const forest = (rows: readonly unknown[]) => ({
  rows,
  reference: 0,
  axis: 'change of the outcome for one standard deviation of the column',
  title,
});
const usual = (k: number) => ({
  label: k === 3 ? long : `term_${k}`,
  estimate: wave(k),
  low: wave(k) - 0.1 - (k % 4) * 0.06,
  high: wave(k) + 0.1 + (k % 4) * 0.06,
});
const penalties = range(40).map((k) => 10 ** (-4 + k / 5));
const shrunk = (k: number, penalty: number) => (wave(k) * 3) / (1 + penalty / (1 + k));
const trace = (count: number) =>
  range(count).map((k) => ({
    name: k === 1 ? long : `term_${k}`,
    points: penalties.map((penalty) => [penalty, shrunk(k, penalty)]),
  }));

export const gallery: readonly GalleryCase[] = [
  { name: 'forest', chart: 'Forest', props: forest(range(9).map(usual)) },
  {
    name: 'forest-sites',
    chart: 'Forest',
    props: forest([
      ...range(4).map((k) => ({ ...usual(k), label: `site ${k}`, size: (k + 1) / 10 })),
      { label: 'All sites', estimate: 0.12, low: 0.05, high: 0.19, summary: true },
    ]),
  },
  { name: 'forest-one', chart: 'Forest', props: forest([{ label: 'age', estimate: 0.42 }]) },
  {
    name: 'forest-hard',
    chart: 'Forest',
    props: forest([
      ...range(4).map(usual),
      { label: 'no estimate', estimate: Number.NaN, note: 'left out: it is a sum of others' },
      { label: 'endless', estimate: 0.1, low: Number.NEGATIVE_INFINITY, high: 1e12 },
      { label: long, estimate: -1.2345e-7, low: -2e-7, high: 3.4e-9, note: 'a note' },
      { label: 'far', estimate: 1.5e9, low: -3e9, high: 6e9 },
    ]),
  },
  { name: 'forest-many', chart: 'Forest', props: forest(range(40).map(usual)) },
  {
    name: 'forest-equal',
    chart: 'Forest',
    props: forest(range(3).map((k) => ({ label: `t${k}`, estimate: 0, low: 0, high: 0 }))),
  },
  {
    name: 'trace',
    chart: 'Lines',
    props: {
      series: trace(7),
      x: { label: 'penalty', log: true },
      y: { label: 'coefficient, per standard deviation' },
      marks: [{ x: 0.5, text: 'chosen 0.5' }],
      cursor: 3.3,
      title,
    },
  },
  {
    name: 'trace-many',
    chart: 'Lines',
    props: {
      series: trace(30).map((line, k) =>
        k % 7 === 0 ? { ...line, points: [[0, wave(k) * 3], ...line.points] } : line,
      ),
      x: { label: 'penalty', log: true },
      y: { label: 'coefficient' },
      marks: [
        { x: 0, text: 'none' },
        { x: 1e-3, text: 'best by leaving one site out' },
        { x: 2e-3, text: 'best by generalised cross-validation' },
      ],
      title,
    },
  },
  {
    name: 'curve',
    chart: 'Lines',
    props: {
      series: [
        {
          name: 'GCV',
          points: penalties.map((x, k) => [x, k === 20 ? Number.NaN : 2 + (k - 15) ** 2 / 99]),
          band: penalties.map((x, k) => [x, 1.5 + (k - 15) ** 2 / 99, 2.5 + (k - 15) ** 2 / 99]),
        },
      ],
      x: { label: 'penalty', log: true },
      y: { label: 'generalised cross-validation' },
      marks: [
        { x: penalties[15], text: 'smallest' },
        { x: penalties[17], text: 'chosen' },
      ],
      title,
    },
  },
  {
    name: 'lines-hard',
    chart: 'Lines',
    props: {
      series: [
        { name: 'one point', points: [[3, 4e9]] },
        { name: 'level', points: range(5).map((k) => [k, 7]) },
        { name: 'nothing', points: [] },
      ],
      x: { label: 'rounds' },
      y: { label: 'loss' },
      title,
    },
  },
  {
    name: 'lines-log',
    chart: 'Lines',
    props: {
      series: [
        { name: 'exact', points: range(11).map((k) => [k / 10, 10 ** (-k / 3)]) },
        {
          name: 'all rows in one place',
          points: range(11).map((k) => [k / 10, 10 ** (-k / 3)]),
          dashed: true,
        },
        {
          name: 'average',
          points: range(11).map((k) => [k / 10, 10 ** (-k / 5)]),
          band: range(11).map((k) => [k / 10, k === 4 ? -1 : 10 ** (-k / 4), 10 ** (-k / 6)]),
        },
        {
          name: 'average, printed',
          points: [
            [0.2, 0.9],
            [0.8, 0.4],
          ],
          dotsOf: 'average',
        },
      ],
      first: 'given',
      x: { label: 'γ' },
      y: { label: 'mean squared error', log: true },
      title,
    },
  },
  ...(
    [
      [range(24).map((k) => ({ from: 10 * k, to: 10 * k + 10, height: (k * 7) % 17 })), false],
      [range(12).map((k) => ({ from: 2 ** k, to: 2 ** (k + 1), height: 0.1 + k / 50 })), true],
      [[], false],
    ] as const
  ).map(
    ([bins, log], k): GalleryCase => ({
      name: `bins-${k}`,
      chart: 'Bins',
      props: { bins, x: { label: 'rows of a site', log }, y: { label: 'sites' }, title },
    }),
  ),
  ...[2, 6, 12, 30, 120].map(
    (count): GalleryCase => ({
      name: `heat-${count}`,
      chart: 'HeatMap',
      props: { names: names(count), values: correlations(count), range: [-1, 1], title },
    }),
  ),
  {
    name: 'heat-leaves',
    chart: 'HeatMap',
    props: {
      names: names(7),
      values: range(7).map((i) => range(7).map((j) => 10 ** (i + j) * (i === j ? 3 : wave(i + j)))),
      range: [-1e12, 3e12],
      title,
    },
  },
  {
    name: 'heat-zero',
    chart: 'HeatMap',
    props: { names: names(3), values: range(3).map(() => [0, 0, 0]), range: 'positive', title },
  },
  ...(
    [
      [[0, 0, 3, 9, 20, 14, 6, 0, 1, 0], [0, 100], 'mm'],
      [[0, 0, 0], [0, 1], undefined],
      [[12], [5, 5], undefined],
      [range(64).map((k) => k % 9), [-123456789, 987654321e3], undefined],
    ] as const
  ).map(
    ([counts, bounds, unit], k): GalleryCase => ({
      name: `histogram-${k}`,
      chart: 'Histogram',
      props: { counts, range: bounds, unit, label: 'bill_length_mm' },
    }),
  ),
  ...[0, 2, 8, 30].map(
    (count): GalleryCase => ({
      name: `levels-${count}`,
      chart: 'LevelBars',
      props: { levels: names(count), counts: range(count).map((k) => 7 * ((k * 5) % 11)) },
    }),
  ),
];

const entry = `
import { h, render } from 'preact';
import './style/tokens.css';
import './style/page.css';
import './style/parts.css';
import { Bins } from './charts/bins.tsx';
import { ForestChart as Forest } from './charts/forest.tsx';
import { HeatMapChart as HeatMap } from './charts/heat-map.tsx';
import { HistogramChart as Histogram } from './charts/histogram.tsx';
import { LevelBars } from './charts/level-bars.tsx';
import { Lines } from './charts/lines.tsx';
const charts = { Bins, Forest, HeatMap, Histogram, LevelBars, Lines };
globalThis.chosen = [];
globalThis.mount = (box, { chart, props }) =>
  render(h(charts[chart], { ...props, onCursor: (x) => globalThis.chosen.push(x) }), box);
`;

/** A page that draws any case of the gallery by \`mount(box, case)\`, as one text. */
export async function galleryPage(): Promise<string> {
  const root = fileURLToPath(new URL('../web', import.meta.url));
  const place = `${root}/gallery-entry.js`;
  const result = await build({
    configFile: false,
    root,
    logLevel: 'silent',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [
      {
        name: 'gallery',
        resolveId: (name) => (name === place ? place : undefined),
        load: (name) => (name === place ? entry : undefined),
      },
    ],
    build: {
      write: false,
      minify: false,
      cssCodeSplit: false,
      lib: { entry: place, formats: ['es'], fileName: 'gallery' },
    },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (!('output' in output)) throw new Error('vite gave no bundle');
  const script = output.output[0].code;
  const sheet = output.output.find((file) => file.type === 'asset');
  const style = sheet !== undefined && 'source' in sheet ? sheet.source : '';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Charts</title><style>${style}</style><main></main><script type="module">${script.replaceAll('</script', '<\\/script')}</script></html>`;
}
