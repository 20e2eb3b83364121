import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import type { Answered } from '../src/analysis/question.ts';
import type { ExportedModel } from '../src/export/exported-model.ts';
import { htmlReport } from '../src/export/html-report.ts';
import { pageStyle } from '../src/export/html-style.ts';
import { forest } from '../src/export/svg/forest.ts';
import { shortened, textWidth } from '../src/export/svg/label.ts';
import { linearScale, logScale } from '../src/export/svg/scale.ts';
import { escapeHtml } from '../src/text/html-text.ts';
import { significant } from '../src/text/number-text.ts';
import { closeTabs, workerBrowser } from './browser.ts';
import { temporaryFolder } from './cli.ts';
import { modelOf, projectedModel } from './export-models.ts';

const hostile = `<script>alert(1)</script>"'&]]><img src=http://x.test/a onerror=b>`;
const longName = 'a_very_long_name_of_a_column_that_no_picture_has_room_for';

/** An answer about every topic, in made-up numbers, over the terms and sites of a model. */
function answersFor({ report }: ExportedModel): Answered[] {
  const terms = report.terms!.map(({ term }) => term);
  const slopes = terms.slice(1);
  const columns = [...slopes, 'y'];
  const wave = (k: number) => Math.sin(3 * k + 1);
  return [
    {
      about: 'standardized',
      terms: slopes.map((term, k) => ({ term, estimate: wave(k), 'std.error': 0.1, perSd: 1 })),
    },
    {
      about: 'path',
      kind: 'ridge',
      terms: slopes,
      scales: slopes.map(() => 2),
      points: [1000, 10, 0.1, 0].map((penalty) => ({
        penalty,
        coefficients: slopes.map((_, k) => wave(k) / (1 + penalty)),
        edf: 2,
        'r.squared': 0.5,
      })),
    },
    {
      about: 'description',
      n: report.n,
      columns: columns.map((column) => ({ column, mean: 0, sd: 1 })),
      correlations: columns.map((_, i) => columns.map((_, j) => (j === 0 ? null : wave(i * j)))),
    },
    {
      about: 'anova',
      test: 'F',
      rows: [
        { term: 'a', df: 1, sumsq: 2, meansq: 2, statistic: 3, 'p.value': 0.04 },
        { term: 'Residuals', df: 70, sumsq: 9, meansq: 0.1 },
      ],
    },
    {
      about: 'heterogeneity',
      chow: { statistic: 1.5, df: 4, 'df.residual': 60, 'p.value': 0.2 },
      terms: terms.map((term, k) => ({
        term,
        estimate: 1,
        'std.error': 0.1,
        Q: 3,
        df: 2,
        'p.value': 0.2,
        I2: 33,
        tau2: 0,
        sites: report.sites.map(({ name }, s) => ({
          site: name,
          estimate: 1 + wave(k + s),
          'std.error': s === 0 ? 40 : 0.3,
        })),
      })),
      without: [{ site: hostile, reason: 'too few rows' }],
    },
    {
      about: 'influence',
      terms,
      sites: report.sites.map(({ name, n }, s) => ({
        site: name,
        n,
        changes: terms.map((_, k) => (k === 0 ? null : wave(k + s))),
        ...(s === 0 ? {} : { largest: { term: terms[1], change: 0.9 }, cook: 0.1 }),
      })),
    },
    {
      about: 'coverage',
      alpha: 0.01,
      rank: 4,
      columns: 4,
      sites: report.sites.map(({ name, n }) => ({ site: name, n, alpha: 0.001, rank: 3 })),
      alone: [{ site: hostile, share: 0.98, direction: [{ term: hostile, weight: 1 }] }],
      uncovered: [hostile],
      bound: { confidence: 0.95, bias: 0, noise: 1 },
    },
    {
      about: 'sanity',
      flags: [
        { site: hostile, kind: 'scale', column: hostile, evidence: hostile, advice: hostile },
      ],
    },
    { about: 'discriminant', problem: 'the response is a number', advice: hostile },
  ] as Answered[];
}

/** A model whose every name is hostile or long, with all that a report may hold. */
function crowded(): ExportedModel {
  const { study, report } = modelOf('y ~ a*g + h');
  const rename = (term: string) => (term === 'a' ? longName : `${term}${hostile}`);
  const sites = [hostile, longName, 'site 3'].map((name, k) => ({
    name,
    n: 10 ** (k + 2),
    dropped: k,
    missing: { [hostile]: 1 },
  }));
  const model: ExportedModel = {
    study: { ...study, name: hostile },
    report: {
      ...report,
      sites,
      terms: report.terms!.map((row, k) => (k === 0 ? row : { ...row, term: rename(row.term) })),
      ridge: { value: 2, rule: 'leave-one-site-out', edf: 3, minimum: 0.4, flat: [0.1, 30] },
      selection: [0.01, 0.4, 2, 400].map((ridge, k) => ({
        ridge,
        score: 3 + (k - 1) ** 2,
        error: 0.2,
      })),
      siteEffects: {
        kind: 'random',
        statistic: 5,
        df: 1,
        'p.value': 0.02,
        variance: 0.4,
        icc: 0.1,
        sites: sites.map(({ name }, k) => ({ site: name, estimate: k - 1, 'std.error': 0.2 })),
      },
      deviation: { steps: 0, estimate: 0.3, advice: hostile },
      aliased: [hostile],
    },
  };
  return { ...model, answers: answersFor(model) };
}

const model = crowded();
const page = htmlReport(model);

describe('the page', () => {
  it('has every part', () => {
    const headings = [...page.matchAll(/<h[23]>(.*?)<\/h/g)].map(([, text]) => text);
    expect(headings).toEqual([
      'Coefficients',
      'What each term adds to all the others',
      'The columns',
      'Sites',
      'Site effects',
      'Do the sites agree?',
      'Which site covers what',
      'Suspicious contributions',
      'Not available in one round',
      'Certificate',
    ]);
    const pictures = [...page.matchAll(/<svg [^>]*aria-label="([^"]*)"/g)].map(([, name]) => name);
    expect(pictures.slice(0, 4)).toEqual([
      'Slopes per standard deviation',
      'Ridge trace',
      'How the penalty was chosen',
      'Correlations',
    ]);
    expect(pictures).toHaveLength(4 + 2 + 1 + model.report.terms!.length);
    expect(page).toContain(model.report.digest);
  });

  it('shows texts of the data as texts', () => {
    expect(page).toContain(escapeHtml(hostile));
    for (const word of ['<script', '<img', '"\'&]', '&]]']) expect(page).not.toContain(word);
    const tags = new Set([...page.matchAll(/<([a-z0-9]+)/gi)].map(([, tag]) => tag));
    for (const tag of ['script', 'img', 'iframe', 'link', 'a', 'form'])
      expect(tags).not.toContain(tag);
  });

  it('holds no number that is none', () => {
    expect(page.replaceAll(escapeHtml(hostile), '')).not.toMatch(/NaN|Infinity|undefined|null/);
  });

  it('is there without answers, for several responses and for an intercept alone', () => {
    for (const formula of ['y ~ 1', 'cbind(y, z) ~ a*g', 'y ~ a - 1']) {
      const plain = htmlReport(modelOf(formula));
      expect(plain).toContain('Certificate');
      expect(plain).not.toMatch(/NaN|Infinity|undefined/);
    }
    expect(htmlReport(modelOf('cbind(y, z) ~ a'))).toContain('Coefficients of z');
  });

  it('shows columns, not the projections they were learnt from, and no interval around them', () => {
    const model = projectedModel();
    const page = htmlReport({ ...model, answers: answersFor(model).slice(0, 1) });
    expect(page).toContain('Learnt from 4 random projections (seed 2) of');
    expect(page).toContain('ignore the bias of the projection');
    expect(page).toContain('log(p)');
    expect(page).not.toMatch(/projection\d|lines are 95 % intervals/);
  });

  it('gives odds ratios of a logistic regression with their own intervals', () => {
    const linear = modelOf('z ~ a');
    const text = htmlReport({ ...linear, report: { ...linear.report, family: 'binomial' } });
    const titles = [...text.matchAll(/<th scope="col"[^>]*>(.*?)<\/th>/g)].map(([, name]) => name);
    expect(titles.slice(0, 5)).toEqual(['Term', 'Odds ratio', 'OR 2.5 %', 'OR 97.5 %', 'Log odds']);
    const { estimate, ...row } = linear.report.terms![1];
    const ratios = [estimate, row['conf.low']!, row['conf.high']!].map((log) =>
      significant(Math.exp(log), 4),
    );
    const cells = ratios.map((ratio) => `<td class="number">${ratio}</td>`).join('');
    expect(text).toContain(`title="a">a</th>${cells}`);
  });

  it('names terms for people, with their baseline, and keeps R’s names', () => {
    const text = htmlReport(modelOf('y ~ a*g'));
    expect(text).toContain('<th scope="row" title="ghi">g: hi (vs mid é)</th>');
    expect(text).toContain('<th scope="row" title="a:glo">a × g: lo (vs mid é)</th>');
    expect(text).toContain('Levels are compared with a baseline: g: mid é.');
  });

  it('draws the ridge trace as the page of the result does, from weak to strong', () => {
    const picture = page.slice(page.indexOf('aria-label="Ridge trace"'));
    const place = (tick: string) =>
      Number(
        new RegExp(`x="([\\d.]+)" y="[\\d.]+" text-anchor="middle">${tick}<`).exec(picture)![1],
      );
    expect(place('0.1')).toBeLessThan(place('100'));
    expect(picture).toContain('>ridge, weak to strong<');
  });
});

describe('colours', () => {
  const schemes = [...pageStyle.matchAll(/\{[^{}]*--ink:[^{}]*\}/g)].map(([rule]) =>
    Object.fromEntries(
      [...rule.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value]),
    ),
  );
  const channels = (hex: string) =>
    [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const luminance = (rgb: readonly number[]) => {
    const [r, g, b] = rgb.map((c) => {
      const share = c / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a: readonly number[], b: readonly number[]) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };

  it.each([0, 1, 2])('of scheme %s are readable (WCAG AA)', (k) => {
    const scheme = schemes[k];
    const colour = (name: string) => channels(scheme[name]);
    for (const ground of ['ground', 'card']) {
      for (const ink of ['ink', 'soft', 'accent']) {
        expect(contrast(colour(ink), colour(ground)), `${ink} on ${ground}`).toBeGreaterThan(4.5);
      }
      for (const series of ['s1', 's2', 's3', 's4', 's5', 's6']) {
        expect(contrast(colour(series), colour(ground)), series).toBeGreaterThan(3);
      }
    }
    expect(contrast(colour('warn'), colour('warn-ground'))).toBeGreaterThan(4.5);
    for (const tint of ['s1', 's2']) {
      const amount = Number(scheme.heat);
      const mixed = colour('card').map((c, i) => c * (1 - amount) + colour(tint)[i] * amount);
      expect(contrast(colour('ink'), mixed), `ink on full ${tint}`).toBeGreaterThan(4.5);
    }
  });
});

describe('a scale', () => {
  it.each([
    [
      [0, 1],
      ['0', '0.2', '0.4', '0.6', '0.8', '1'],
    ],
    [
      [-3, 12],
      ['−2', '0', '2', '4', '6', '8', '10', '12'],
    ],
    [
      [0.00012, 0.00031],
      ['1.5e-4', '2e-4', '2.5e-4', '3e-4'],
    ],
    [
      [1e6, 3e6],
      ['1e6', '1.5e6', '2e6', '2.5e6', '3e6'],
    ],
    [
      [5, 5],
      ['4.6', '4.8', '5', '5.2', '5.4'],
    ],
  ] as const)('of %j has round ticks', (domain, texts) => {
    const { ticks, at } = linearScale([domain[0], domain[1]], [10, 110], 5);
    expect(ticks.map(({ text }) => text.replace(/\.0$/, ''))).toEqual(texts);
    for (const { value } of ticks)
      expect(at(value)).toBeCloseTo(Math.min(110, Math.max(10, at(value))));
  });

  it('of logarithms has powers of ten', () => {
    const { ticks, at } = logScale([1e-4, 1e8], [0, 120], 6);
    expect(ticks.map(({ text }) => text)).toEqual([
      '1e−4',
      '0.01',
      '1',
      '100',
      '10000',
      '1e6',
      '1e8',
    ]);
    expect(at(1e-4)).toBe(0);
    expect(at(1e2)).toBeCloseTo(60);
  });
});

describe('a text', () => {
  it('is cut in its middle, and told in full', () => {
    const cut = shortened(longName, 90);
    expect(cut).toMatch(/^a_very.*….*for$/);
    expect(textWidth(cut)).toBeLessThanOrEqual(90);
    const rows = [{ label: longName, estimate: 1 }];
    const picture = forest({ title: 't', description: 'd', rows, reference: 0, axis: 'x' });
    expect(picture).toContain(`<title>${longName}</title>`);
  });

  it('that fits is left alone', () => {
    expect(shortened('a', 90)).toBe('a');
  });

  it('of a forest has the whole width before it is cut', () => {
    const label = 'treatment: the new drug (vs control)';
    const rows = [{ label, estimate: 1, low: 0, high: 2 }];
    const picture = forest({ title: 't', description: 'd', rows, reference: 0, axis: 'x' });
    expect(picture).toContain(`>${label}</text>`);
  });
});

it('an interval far wider than the others ends in arrows', () => {
  const rows = [1, 2, 3, 4].map((estimate) => ({
    label: 'r',
    estimate,
    low: estimate - (estimate === 4 ? 1000 : 1),
    high: estimate + (estimate === 4 ? 1000 : 1),
  }));
  const picture = forest({ title: 't', description: 'd', rows, reference: 2, axis: 'x' });
  expect(picture.match(/<path class="interval"/g)).toHaveLength(2);
  const near = forest({
    title: 't',
    description: 'd',
    rows: rows.slice(0, 3),
    reference: 2,
    axis: 'x',
  });
  expect(near).not.toContain('<path class="interval"');
});

describe('in a browser', async () => {
  const browser: Browser | undefined = await workerBrowser();
  afterAll(closeTabs);
  const path = join(temporaryFolder(), 'report.html');

  it.runIf(browser !== undefined)(
    'nothing overlaps or overflows on a telephone, and nothing is asked for',
    async () => {
      writeFileSync(path, page);
      const tab = await browser!.newPage({ viewport: { width: 360, height: 800 } });
      const asked: string[] = [];
      tab.on('request', (request) => asked.push(request.url()));
      await tab.goto(pathToFileURL(path).href);
      const wide = await tab.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(wide).toBe(0);
      const clashes =
        await tab.evaluate(`[...document.querySelectorAll('svg.plot')].flatMap((svg) => {
      const frame = svg.getBoundingClientRect();
      const texts = [...svg.querySelectorAll('text')].map((text) => ({
        said: text.textContent,
        box: text.getBoundingClientRect(),
      }));
      const out = texts.filter(({ box }) => box.left < frame.left - 1 || box.right > frame.right + 1);
      const over = texts.flatMap((a, k) => texts.slice(k + 1).filter((b) =>
        Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left) > 1 &&
        Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top) > 4));
      return [...out, ...over].map(({ said }) => svg.getAttribute('aria-label') + ': ' + said);
    })`);
      expect(clashes).toEqual([]);
      expect(asked).toEqual([pathToFileURL(path).href]);
    },
  );
});
