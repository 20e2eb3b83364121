import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeTabs, workerBrowser } from './browser.ts';
import { type GalleryCase, gallery, galleryPage } from './chart-gallery.ts';
import { chosen, enduring } from './endurance.ts';

const widths = chosen([280, 360, 720, 1200], 0, 2);
const caseOf = (name: string) => gallery.find((one) => one.name === name)!;

/** Draws charts under each other, so wide, and gives what is wrong with their texts. */
const draw = `globalThis.draw = (cases, width) => {
  const main = document.querySelector('main');
  main.replaceChildren();
  main.style.cssText = 'display:grid;gap:20px;padding:0;max-width:none;background:var(--card);width:' + width + 'px';
  for (const one of cases) {
    const box = document.createElement('div');
    box.id = one.name;
    main.append(box);
    mount(box, one);
  }
}`;

const misplaced = `globalThis.misplaced = () => [...document.querySelectorAll('main > div')].flatMap((box) => {
  const wrong = [];
  const svg = box.querySelector('svg');
  const frame = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent !== '');
  const boxes = texts.map((text) => text.getBoundingClientRect());
  const say = (k) => texts[k].firstChild.data;
  boxes.forEach((a, k) => {
    if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1) {
      wrong.push(box.id + ': “' + say(k) + '” leaves the chart');
    }
    if (parseFloat(getComputedStyle(texts[k]).fontSize) < 11) wrong.push(box.id + ': “' + say(k) + '” is too small');
    boxes.slice(k + 1).forEach((b, i) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 2) wrong.push(box.id + ': “' + say(k) + '” over “' + say(k + 1 + i) + '”');
    });
  });
  if (/NaN|undefined|Infinity/.test([...svg.querySelectorAll('*')].map((part) => [...part.attributes].map((a) => a.value).join(' ')).join(' '))) {
    wrong.push(box.id + ': a place that is not a number');
  }
  return wrong;
})`;

/** Contrast of each text with what lies behind it: the card, or under numbers in cells the strongest tint. */
const faint = `globalThis.faint = () => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const light = (layers) => {
    for (const [colour, opacity] of layers) {
      canvas.globalAlpha = opacity;
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  return [...document.querySelectorAll('main svg text')].flatMap((text) => {
    const tints = text.classList.contains('small') && text.closest('.chart')
      ? [...text.closest('svg').querySelectorAll('.heat .positive, .heat .negative')]
      : [];
    const grounds = [[], ...tints.map((part) => [[getComputedStyle(part).fill, +getComputedStyle(part).fillOpacity]])];
    const ink = light([[getComputedStyle(text).fill, 1]]);
    const least = Math.min(...grounds.map((ground) => {
      const behind = light([[token('--card'), 1], ...ground]);
      return (Math.max(ink, behind) + 0.05) / (Math.min(ink, behind) + 0.05);
    }));
    return least < 4.5 ? [text.textContent + ' ' + least.toFixed(2)] : [];
  });
}`;

describe('charts, in a real browser', () => {
  let browser: Browser | undefined;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await workerBrowser();
    if (browser === undefined) return;
    page = await browser.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => complaints.push(message.text()));
    await page.setContent(await galleryPage());
    for (const script of [draw, misplaced, faint]) await page.evaluate(script);
  });
  afterAll(closeTabs);

  const show = async (cases: readonly GalleryCase[], width: number) => {
    await page.setViewportSize({ width: width + 40, height: 900 });
    await page.evaluate(
      ([drawn, pixels]) =>
        (globalThis as unknown as { draw(a: unknown, b: unknown): void }).draw(drawn, pixels),
      [cases, width] as const,
    );
    const drawn = 'document.querySelectorAll("main > div > svg, .chart > svg").length';
    await page.waitForFunction(`${drawn} === ${cases.length}`);
  };
  const detail = async () => {
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => drawn(0)))');
    const parts = page.locator('.chart-detail > *');
    return (await parts.allTextContents()).join('\n');
  };

  it('has no text over another, outside its chart, or too small, at any width', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    for (const width of widths) {
      await show(gallery, width);
      expect(await page.evaluate('misplaced()'), `${width} pixels`).toEqual([]);
      const across = 'document.documentElement.scrollWidth <= innerWidth';
      expect(await page.evaluate(across), `${width} pixels`).toBe(true);
    }
    expect(complaints).toEqual([]);
  });

  it.runIf(enduring)('can be read in the light and in the dark', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const cases = gallery.filter(({ name }) => name !== 'forest-many' && name !== 'heat-120');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await show(cases, 720);
      expect(await page.evaluate('faint()'), colorScheme).toEqual([]);
    }
  });

  it.runIf(enduring)('keeps its place: what comes after a chart does not move', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    await show([caseOf('forest')], 720);
    const shift = await page.evaluate(`new Promise((resolve) => {
      let moved = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) moved += entry.value;
      }).observe({ type: 'layout-shift' });
      const after = document.createElement('p');
      after.textContent = 'after';
      const box = document.createElement('div');
      document.querySelector('main').replaceChildren(box, after);
      mount(box, ${JSON.stringify(caseOf('forest'))});
      setTimeout(() => resolve(moved), 150);
    })`);
    expect(shift).toBe(0);
  });

  it('says what it shows, with its numbers', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    await show(gallery, 360);
    const words = async (name: string) =>
      (await page.locator(`#${name} svg`).getAttribute('aria-label'))!;
    expect(await words('forest')).toContain('7 of 9 intervals exclude 0. Farthest from 0');
    expect(await words('forest-sites')).toContain('All sites 0.120 (0.0500 to 0.190)');
    expect(await words('forest-hard')).toContain('no estimate left out: it is a sum of others');
    expect(await words('curve')).toContain('smallest 2.00 at 0.100');
    expect(await words('trace')).toContain('chosen 0.5: 0.500');
    expect(await words('heat-2')).toContain('column_0 and column_1_x 0.712');
    expect(await words('histogram-0')).toBe(
      'bill_length_mm: 20 to 90 mm; most in 40 to 50 mm: 20 rows',
    );
    expect(await words('levels-30')).toContain('22 more levels');
  });

  it('is one tab stop, and arrow keys tell each mark', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const stops = [caseOf('forest'), caseOf('heat-6'), caseOf('trace')];
    await show([...stops, caseOf('histogram-0')], 360);
    expect(await page.locator('main [tabindex="0"]').count()).toBe(stops.length);
    const stop = (name: string) => page.locator(`#${name} [role=slider]`);

    await page.keyboard.press('Tab');
    expect(await detail()).toContain('term_0');
    await page.keyboard.press('ArrowDown');
    expect(await detail()).toBe('term_1\n0.375 (0.215 to 0.535)\nThe interval excludes 0.');
    expect(await stop('forest').getAttribute('aria-valuetext')).toContain('term_1, 0.375');
    await page.keyboard.press('Escape');
    expect(await page.locator('.chart-detail').count()).toBe(0);

    await page.keyboard.press('Tab');
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight']) {
      await page.keyboard.press(key);
    }
    expect(await detail()).toBe('column_1_x and column_3_x_x_x\n−0.231');
    await page.keyboard.press('ArrowRight');
    expect(await detail()).toContain('no value');

    await page.keyboard.press('Tab');
    expect(await detail()).toContain('penalty 3.98'); // the point next to the slider outside
    await page.evaluate('chosen.length = 0');
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate('chosen')).toEqual([expect.closeTo(10 ** 0.8)]);
    expect(await detail()).toContain('penalty 6.31');
    const outside = `(() => {
      const { left, right } = document.querySelector('#trace .chart').getBoundingClientRect();
      return [...document.querySelectorAll('.chart-detail, .chart-detail *')].filter((part) => {
        const box = part.getBoundingClientRect();
        return box.left < left - 1 || box.right > right + 1;
      }).length;
    })()`;
    expect(await page.evaluate(outside)).toBe(0);
  });

  it('tells what is pointed at, and chooses only what is pressed', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    await show([caseOf('trace'), caseOf('heat-120')], 720);
    await page.evaluate('chosen.length = 0');
    const box = (await page.locator('#trace .chart').boundingBox())!;
    await page.mouse.move(box.x + 400, box.y + 150);
    expect(await detail()).toContain('penalty');
    expect(await page.evaluate('chosen')).toEqual([]);
    await page.mouse.down();
    await page.mouse.up();
    expect(await page.evaluate('chosen.length')).toBe(1);
    const heat = (await page.locator('#heat-120 .chart').boundingBox())!;
    await page.mouse.move(heat.x + 717, heat.y + 21);
    expect(await detail()).toContain('column_0 and column_119_x_x_x_x');
    await page.mouse.move(5, 5);
    await page.mouse.move(heat.x + 10, heat.y + heat.height - 2);
    expect(await page.locator('.chart-detail').count()).toBe(0);
  });
});
