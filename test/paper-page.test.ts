import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { tallyText } from '../experiments/page/claim-text.ts';
import { leadWords } from '../experiments/page/lead-words.ts';
import { lineFigure } from '../experiments/page/line-figure.ts';
import { mattersOf } from '../experiments/page/matters.ts';
import { paperPage } from '../experiments/page/paper-page.ts';
import { paperText } from '../experiments/page/paper-text.ts';
import {
  type ExperimentResult,
  type PaperResult,
  paperStatement,
  type ResultFigure,
  type ResultTable,
} from '../experiments/paper-result.ts';
import { resultNumberText, secondsText, spreadText } from '../experiments/text/value-text.ts';
import { escapeHtml } from '../src/text/html-text.ts';
import { plainInk } from '../src/text/text-table.ts';
import { closeTabs, workerBrowser } from './browser.ts';
import { temporaryFolder } from './cli.ts';
import { chosen } from './endurance.ts';

const hostile = `<script>alert(1)</script>"'&]]><img src=http://x.test/a onerror=b>`;
const methods = ['One-Shot', 'FedAvg', hostile, 'a method with a name that no figure has room for'];

const table: ResultTable = {
  id: 'III',
  title: `Errors ${hostile}`,
  of: 'γ',
  columns: [
    { label: 'MSE' },
    { label: hostile, form: 'bytes' },
    { label: 'time', form: 'seconds' },
    { label: 'rounds', form: 'count' },
    { label: 'gap', form: 'percent' },
    { label: 'saving', form: 'ratio' },
  ],
  rows: methods.map((label, k) => ({
    label,
    cells: [
      { measured: { mean: 0.0102467 + k, sd: 0.00031, count: 5 }, printed: `0.010${k} ${hostile}` },
      { measured: { mean: 1234567 * (k + 1), count: 1 }, printed: '0.82 MB' },
      { measured: { mean: 0.0123 * 10 ** k, sd: 0.001, count: 5 } },
      { measured: { mean: 12345 + k, count: 1 } },
      { measured: { mean: 0.0313, count: 1 } },
      k === 3 ? { text: hostile } : { measured: { mean: 7.51, count: 1 } },
    ],
  })),
};

const curve = (factor: number) =>
  [1, 10, 100, 1000].map((x) => ({
    x,
    y: factor / x,
    low: factor / x / 2,
    high: (2 * factor) / x,
  }));

const lines: ResultFigure = {
  id: '1',
  title: `Gap ${hostile}`,
  kind: 'lines',
  x: { label: 'rounds', log: true },
  y: { label: hostile, log: true },
  series: [
    { name: 'centralised', role: 'oracle', points: curve(0.1) },
    { name: 'FedAvg', role: 'other', points: curve(3) },
    { name: 'FedProx', role: 'other', points: curve(2.9) },
    { name: 'One-Shot', role: 'exact', points: curve(1).map(({ x }) => ({ x, y: 0 })) },
    { name: 'FedAvg, printed', role: 'printed', points: [{ x: 10, y: 0.4 }] },
  ],
};

const histogram: ResultFigure = {
  id: 'sizes',
  title: 'Sizes',
  kind: 'histogram',
  x: { label: 'rows of a node' },
  y: { label: 'nodes' },
  series: ['low', 'high'].map((name, k) => ({
    name: `${name} ${hostile}`,
    role: 'other',
    points: [0, 1, 2, 3].map((bin) => ({ x: 10 * bin, to: 10 * bin + 10, y: bin * (k + 1) })),
  })),
};

const experiment = (id: string, readings: readonly boolean[]): ExperimentResult => ({
  id,
  title: `What ${hostile}`,
  about: `About ${hostile}.`,
  seconds: 12.3,
  tables: [
    table,
    {
      ...table,
      id: 'long',
      title: 'A long one',
      rows: Array.from({ length: 30 }, (_, k) => ({ ...table.rows[0], label: `row ${k}` })),
    },
  ],
  figures: [lines, histogram],
  differences: [`It differs: ${hostile}`],
  conclusions: [
    paperStatement({
      matter: `Matter of ${id} ${hostile}`,
      where: `Table ${hostile}`,
      claim: `First of ${id} ${hostile}`,
      readings: readings.map((holds, k) => ({
        as: `reading ${k} ${hostile}`,
        holds,
        because: `number ${k} of ${id}`,
      })),
      because: `What follows from ${id}.`,
    }),
    ...(id === '3' ? [again] : []),
    { of: 'ours', claim: `Second of ${id}`, holds: true, because: hostile },
  ],
});

/** The matter of experiment 2 once more, where one of its readings fails. */
const again = paperStatement({
  matter: `Matter of 2 ${hostile}`,
  where: 'Figure 9',
  claim: 'Again of 2',
  readings: [{ as: `reading 0 ${hostile}`, holds: false, because: 'number 0 again' }],
  because: 'What follows from 2.',
});

const result: PaperResult = {
  schema: 'suffice/paper@1',
  paper: 'ridge',
  title: `A paper ${hostile}`,
  source: hostile,
  date: '2026-11-16',
  machine: hostile,
  versions: { node: '20.1.2', [hostile]: '1' },
  seconds: 200,
  settings: { seed: 7, rowsPerSite: 501, features: 100, quick: true },
  experiments: [
    experiment('2', [true, true]),
    experiment('3', [false, false]),
    experiment('dropout', [true]),
  ],
};
const page = paperPage(result);

describe('the page of a paper', () => {
  it('has every value, printed and measured, and says what was run', () => {
    const shown = table.rows.flatMap(({ cells }) =>
      cells.flatMap(({ printed, measured, text }, k) => [
        ...(printed === undefined ? [] : [`paper: ${escapeHtml(printed)}<`]),
        ...(measured === undefined ? [] : [`>${spreadText(measured, table.columns[k].form)}<`]),
        ...(text === undefined ? [] : [escapeHtml(text)]),
      ]),
    );
    expect(shown).toHaveLength(4 * 8);
    for (const text of shown) expect(page).toContain(text.replace(/<$/, ''));
    expect(page).toContain('Settings: seed 7, rows per site 501, quick; all else by default.');
    for (const text of ['2026-11-16', '3 min 20 s', 'node 20.1.2']) expect(page).toContain(text);
  });

  it('counts a matter once, with its verdict over all statements, and shows every reading', () => {
    const [top, rest] = page.split('<nav');
    expect(top).toContain('4 statements of the paper, on 3 matters, were tried here.');
    expect(top).toContain(
      'Of the matters 1 holds, 1 depends on what the paper leaves open, 1 does not hold under any reading tried.',
    );
    expect(top).toContain('Of our own 3 claims all hold here.');
    expect(top).toContain('from half of a saving');
    const order = [
      'What holds<',
      'Matter of dropout',
      'What depends on',
      'Matter of 2',
      'Again of 2',
    ]
      .concat(['What does not hold', 'Matter of 3'])
      .map((text) => top.indexOf(text));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
    expect(top).toContain(`First of 2 ${escapeHtml(hostile)}” (<a href="#experiment-2">`);
    expect(top).toContain('number 0 of 2; Figure 9: number 0 again');
    expect(top.match(/What follows from 2\./g)).toHaveLength(1);
    expect(rest).toContain('1 holds · ours 1 of 1');
    expect(rest).toContain('2 do not · ours 1 of 1');
    const words = rest.match(/(Holds|Depends|Does not hold)[^.<:]*\./g);
    expect(words).toEqual([
      'Holds.',
      'Holds.',
      'Does not hold under any reading tried.',
      'Does not hold under any reading tried.',
      'Holds.',
      'Holds.',
      'Holds.',
    ]);
  });

  it('opens with what the paper gets right and a figure of it, if that was tried and holds', () => {
    const { matter, right, experiment: id, figure } = leadWords.ridge!;
    const statement = (holds: boolean) =>
      paperStatement({
        matter,
        where: '',
        claim: '',
        readings: [{ as: '', holds, because: '' }],
        because: '',
      });
    const told = (holds: boolean) =>
      paperPage({
        ...result,
        experiments: [
          {
            ...experiment(id, [true]),
            figures: [{ ...lines, id: figure }],
            conclusions: [statement(holds)],
          },
        ],
      }).split('<nav')[0];
    expect(told(true).indexOf('<svg')).toBeGreaterThan(told(true).indexOf(escapeHtml(right)));
    expect(told(true).indexOf(escapeHtml(right))).toBeGreaterThan(0);
    expect(told(false)).not.toContain(escapeHtml(right));
  });

  it('shows texts of the result as texts, and refers to nothing outside', () => {
    for (const word of ['<script', '<img', '"\'&]', '&]]']) expect(page).not.toContain(word);
    const tags = new Set(Array.from(page.matchAll(/<([a-z0-9]+)/gi), ([, tag]) => tag));
    for (const tag of ['script', 'img', 'iframe', 'link', 'form']) expect(tags).not.toContain(tag);
    const references = Array.from(page.matchAll(/<[^>]*? (?:href|src)="([^"]*)"/g), ([, to]) => to);
    expect(new Set(references)).toEqual(
      new Set(['#experiment-2', '#experiment-3', '#experiment-dropout']),
    );
    for (const to of references) expect(page).toContain(`id="${to.slice(1)}"`);
    expect(page.replaceAll(escapeHtml(hostile), '')).not.toMatch(/url\(|@import|NaN|undefined/);
  });

  it('opens long tables only when asked', () => {
    expect(page.match(/<details>/g)).toHaveLength(3);
    expect(page).toContain('(30 rows)</summary>');
  });
});

describe('a figure of lines', () => {
  const picture = lineFigure(lines);

  it('marks a value of 0 on a logarithmic axis as 0, below all others', () => {
    const exact = picture.match(/<path class="series s1" d="M[\d.]+ ([\d.]+)/)!;
    const zero = picture.match(/<text class="soft" x="[\d.]+" y="([\d.]+)" [^>]*>0</)!;
    expect(Number(zero[1]) - Number(exact[1])).toBeCloseTo(4, 5);
    const lowest = Math.max(
      ...Array.from(picture.matchAll(/<circle class="mark s2"[^>]* cy="([\d.]+)"/g), ([, y]) =>
        Number(y),
      ),
    );
    expect(Number(exact[1])).toBeGreaterThan(lowest);
  });

  it('draws the exact fusion on top, printed values as rings in the colour of the measured', () => {
    const curves = Array.from(picture.matchAll(/<path class="series (\w+)"/g), ([, c]) => c);
    expect(curves).toEqual(['oracle', 's2', 's3', 's1']);
    expect(picture.match(/class="ring s2"/g)).toHaveLength(1);
    expect(picture.match(/class="band s2"/g)).toHaveLength(1);
  });

  it('has its marks at the few values that were swept over, as far as they are legible', () => {
    const swept = (xs: readonly number[]) => {
      const points = xs.map((x) => ({ x, y: x }));
      const drawn = lineFigure({ ...lines, series: [{ name: 'a', role: 'other', points }] });
      const marked = drawn.matchAll(/<text [^>]*text-anchor="middle"[^>]*>(\d+)</g);
      return Array.from(marked, ([, text]) => Number(text));
    };
    expect(swept([50, 100, 200, 400])).toEqual([50, 100, 200, 400]);
    expect(swept([10, 20, 50, 100, 200, 400, 800, 1000])).toEqual([
      10, 20, 50, 100, 200, 400, 1000,
    ]);
    expect(swept([1, 2, 3, 4, 5, 6, 7, 8, 1000])).toEqual([1, 10, 100, 1000]);
  });

  it('tells what it shows to those who cannot see it', () => {
    expect(picture).toContain('FedAvg: 3.000 at 1.000, 0.003000 at 1000');
  });

  it('does not fail on nothing', () => {
    const empty = { ...lines, series: [{ name: 'a', role: 'other' as const, points: [] }] };
    expect(lineFigure(empty)).not.toMatch(/NaN|Infinity/);
  });
});

describe('numbers', () => {
  it.each([
    [0, 'bytes', '0 B'],
    [88, 'bytes', '88 B'],
    [849_920, 'bytes', '850 kB'],
    [824_000_000, 'bytes', '824 MB'],
    [0, 'seconds', '0 s'],
    [0.00034, 'seconds', '340 µs'],
    [0.0123, 'seconds', '12.3 ms'],
    [12.3, 'seconds', '12.3 s'],
    [12_345, 'count', '12,345'],
    [7.5, 'count', '7.50'],
    [0.0313, 'percent', '3.13 %'],
    [7.51, 'ratio', '7.51×'],
    [0.0102467, 'number', '0.01025'],
    [Number.POSITIVE_INFINITY, 'number', '∞'],
  ] as const)('%s as %s is %s', (value, form, text) => {
    expect(resultNumberText(value, form)).toBe(text);
  });

  it('have one unit for mean and spread', () => {
    expect(spreadText({ mean: 1_860_000, sd: 130_000, count: 5 }, 'bytes')).toBe('1.86 ± 0.13 MB');
    expect(spreadText({ mean: 0.0102467, sd: 0.00031, count: 5 })).toBe('0.01025 ± 0.00031');
    expect(spreadText({ mean: 0.01007, sd: 0.0000412, count: 5 })).toBe('0.01007 ± 0.00004');
    expect(spreadText({ mean: 3, sd: 0, count: 5 }, 'count')).toBe('3');
  });

  it('have as many decimals in the mean as in the spread, and one power of ten for both', () => {
    const text = (mean: number, sd: number) => spreadText({ mean, sd, count: 5 });
    expect(text(0.00251, 0.00021)).toBe('0.00251 ± 0.00021');
    expect(text(85.912, 2.31)).toBe('85.9 ± 2.3');
    expect(text(2.71e-9, 3.04e-9)).toBe('(2.7 ± 3.0)·10⁻⁹');
    expect(text(-1.03e-6, 2e-7)).toBe('(-1.03 ± 0.20)·10⁻⁶');
    expect(text(1.2345678, 1e-9)).toBe('1.235 ± 1.00·10⁻⁹');
    expect(text(0, 0.5)).toBe('0.00 ± 0.50');
    expect(text(99.96, 0.0996)).toBe('99.96 ± 0.10');
    expect(resultNumberText(4.08e-11)).toBe('4.08·10⁻¹¹');
  });

  it('of time are as a person says them', () => {
    expect([0.034, 4.56, 59.7, 119.6].map(secondsText)).toEqual([
      '34.0 ms',
      '4.6 s',
      '60 s',
      '2 min 0 s',
    ]);
  });
});

it.each([
  [
    [[true], [true, true]],
    '2 statements of the paper, on 2 matters, were tried here. Of the matters 2 hold.',
  ],
  [
    [[false, true]],
    '1 statement of the paper, on 1 matter, was tried here. Of the matters 1 depends on what the paper leaves open.',
  ],
  [
    [[false], [false]],
    '2 statements of the paper, on 2 matters, were tried here. Of the matters 2 do not hold under any reading tried.',
  ],
  [[], 'The paper’s statements are tried in other experiments.'],
])('statements that hold: %j', (all, told) => {
  const conclusions = all.map((readings, k) =>
    paperStatement({
      ...{ matter: String(k), where: '', claim: '', because: '' },
      readings: readings.map((holds) => ({ as: String(holds), holds, because: '' })),
    }),
  );
  expect(tallyText(mattersOf([{ ...result.experiments[0], conclusions }]))).toBe(told);
});

it('the text of a paper has the same values, the printed below the measured', () => {
  const text = paperText(result, plainInk);
  expect(text).toMatch(/One-Shot\s+0\.01025 ± 0\.00031/);
  expect(text).toMatch(/One-Shot +1\.23 MB.*\n {2}paper +0\.82 MB/);
  expect(text).not.toMatch(/\n {2}paper\n/);
  expect(text).toContain(
    `✗ does not hold under any reading tried: paper, Table ${hostile}: “First of 3 ${hostile}” (What follows from 3.)\n    ✗ reading 0 ${hostile}: number 0 of 3`,
  );
  expect(text).toContain('✓ holds: ours, Second of 2');
  expect(text).toContain(`  ◐ Matter of 2 ${hostile}: “First of 2`);
});

describe('in a browser', async () => {
  const browser: Browser | undefined = await workerBrowser();
  afterAll(closeTabs);
  const path = join(temporaryFolder(), 'paper.html');
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

  const looks = chosen<readonly ['light' | 'dark', number]>(
    [
      ['light', 360],
      ['dark', 1280],
    ],
    0,
  );
  it.runIf(browser !== undefined).each(looks)(
    'it is accessible, fits and asks for nothing: %s, %s px',
    async (scheme, width) => {
      writeFileSync(path, page);
      const context = await browser!.newContext({
        viewport: { width, height: 800 },
        colorScheme: scheme,
        bypassCSP: true, // the rules are put into the page; its own policy lets no script run
      });
      const tab = await context.newPage();
      const asked: string[] = [];
      tab.on('request', (request) => asked.push(request.url()));
      await tab.goto(pathToFileURL(path).href);
      const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await tab.evaluate(wide)).toBe(0);
      const clashes =
        await tab.evaluate(`[...document.querySelectorAll('svg.plot')].flatMap((svg) => {
      const frame = svg.getBoundingClientRect();
      const boxes = [...svg.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
      const out = boxes.filter(([, box]) => box.left < frame.left - 1 || box.right > frame.right + 1);
      const over = boxes.flatMap(([, a], k) => boxes.slice(k + 1).filter(([, b]) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4));
      return [...out, ...over].map(([said]) => said);
    })`);
      expect(clashes).toEqual([]);
      await tab.addScriptTag({ content: axe });
      const { violations } = await tab.evaluate<AxeResults>('axe.run(document)');
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)).toEqual([]);
      expect(asked).toEqual([pathToFileURL(path).href]);
      await context.close();
    },
  );
});
