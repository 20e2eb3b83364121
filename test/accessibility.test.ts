import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shown, watchArrival } from './arrival.ts';
import { allRules, axe, violations } from './axe.ts';
import { enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { type PageStates, pageStates } from './page-states.ts';
import { settled, walk } from './page-tour.ts';
import { wholeTour } from './whole-tour.ts';

const only = (...rules: readonly string[]) => `runOnly: ${JSON.stringify(rules)}`;

/** How a page is looked at, and the rules that then can find something new. */
interface Look {
  readonly scheme: 'light' | 'dark';
  readonly width: number;
  readonly rules: string;
}

/** All rules once; in the dark only colours differ, and on a narrow screen only places and sizes, which `frame` measures too. */
const bright: Look = { scheme: 'light', width: 1440, rules: allRules };
const darkAndNarrow: Look = {
  scheme: 'dark',
  width: 360,
  rules: only('color-contrast', 'target-size'),
};

/** `npm run endure` looks at every state in every way, with all rules. */
const ways: readonly Look[] = (['light', 'dark'] as const).flatMap((scheme) =>
  [1440, 360].map((width) => ({ scheme, width, rules: allRules })),
);

/** Pages with every kind of part in both looks; all others have parts of the same styles, and are seen in one look. */
const bothLooks = new Set(['result-resolved']);

/** Every page as one comes to it. */
const arriving = new Set([
  'studies',
  'study-collecting',
  'result-resolved',
  'predict',
  'join',
  'create',
  'lab',
  'not-found',
]);

/** The stops of the check have every kind of part. All others look like one of these, and only `npm run endure` goes there. */
const ofCheck = new Set([...bothLooks, 'study-collecting', 'join-read', 'create-errors']);

function looksAt(name: string): readonly Look[] {
  if (enduring) return ways;
  return bothLooks.has(name) ? [bright, darkAndNarrow] : [bright];
}

/** What every page must keep to, whatever it shows. */
const frame = `(() => {
  const found = [];
  const headings = document.querySelectorAll('h1').length;
  if (headings !== 1) found.push(headings + ' h1');
  if (!/. · Suffice$/.test(document.title)) found.push('title: ' + document.title);
  if (document.querySelectorAll('main').length !== 1) found.push('no main');
  if (document.querySelector('button.skip') === null) found.push('no skip button');
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push('scrolls sideways: ' + scrollWidth + ' of ' + clientWidth);
  const slow = [...document.body.querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationName, animationDuration } = getComputedStyle(element);
    const longest = (text) => Math.max(...text.split(',').map(parseFloat));
    return longest(transitionDuration) > 0.01 || (animationName !== 'none' && longest(animationDuration) > 0.01);
  });
  if (slow.length > 0) found.push(slow.length + ' would move, first ' + slow[0].className);
  const moving = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().duration > 10);
  if (moving.length > 0) found.push(moving.length + ' animations');
  const scaleOf = (matrix) => (matrix === null ? 1 : Math.hypot(matrix.a, matrix.b));
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.textContent.trim() === '' || !element.checkVisibility()) continue;
    const scale = element.ownerSVGElement ? scaleOf(element.getScreenCTM()) : 1;
    const size = scale * parseFloat(getComputedStyle(element).fontSize);
    if (size < 10.99) found.push(size.toFixed(1) + ' px: ' + node.textContent.trim().slice(0, 30));
  }
  return [...new Set(found)];
})()`;

/** What has the focus, and the line around it; a choice has it around its label. */
const focused = `(() => {
  const element = document.activeElement;
  const around = [element, element.closest('label')].filter((one) => one !== null).map((one) => getComputedStyle(one));
  const ring = around.some(({ outlineStyle, outlineWidth }) => outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2);
  const label = element.labels?.[0] ?? element;
  return { name: label.textContent.trim() || element.ariaLabel || element.id, ring: ring ? 'solid, 2 px or more' : 'none' };
})()`;

const still = { reducedMotion: 'reduce' } as const;

/** How far things moved while a page came, and what; undefined where that is little. */
async function movedOnArrival(page: Page): Promise<string | undefined> {
  await shown(page);
  const shift = await page.evaluate<number>('window.shift');
  if (shift < 0.05) return undefined;
  const what = await page.evaluate<string[]>('window.moved');
  return `moves by ${shift.toFixed(3)} while it loads: ${what.join(', ')}`;
}

describe('every page, for everyone', () => {
  const present = fileBrowser();
  let states: PageStates;
  beforeAll(async () => {
    states = await pageStates(enduring ? undefined : ['collecting', 'resolved']);
  });
  afterAll(async () => {
    await states.stop();
  });

  it('moves nothing while it loads, and axe finds no violation in light and dark, wide and narrow', async (context) => {
    const browser = present(context);
    const found: string[] = [];
    const places = new Map<string, Set<string>>();
    let stops = 0;
    let arrivals = 0;
    const whole = wholeTour(states);
    const known = new Set(whole.flatMap(({ stops }) => stops.map(({ name }) => name)));
    expect([...ofCheck].filter((name) => !known.has(name))).toEqual([]);
    const wanted = whole.map((journey) => ({
      ...journey,
      stops: journey.stops.filter(({ name }) => enduring || ofCheck.has(name)),
    }));
    const tour = wanted
      .filter(({ stops }) => stops.length > 0)
      .map((journey) => ({
        ...journey,
        async before(page: Page) {
          await page.addInitScript(watchArrival);
          await journey.before?.(page);
        },
      }));
    const failures = await walk(browser, tour, still, async (page, name) => {
      stops++;
      if (arriving.has(name)) {
        arrivals++;
        const moved = await movedOnArrival(page);
        if (moved !== undefined) found.push(`${name}: ${moved}`);
      }
      const title = await page.title();
      const { pathname } = new URL(page.url());
      places.set(title, (places.get(title) ?? new Set()).add(pathname));
      if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
      for (const { scheme, width, rules } of looksAt(name)) {
        await page.emulateMedia({ colorScheme: scheme, ...still });
        await page.setViewportSize({ width, height: 900 });
        await settled(page);
        const problems = [
          ...(await page.evaluate<string[]>(frame)),
          ...(await violations(page, rules)),
        ];
        found.push(...problems.map((problem) => `${name} ${scheme} ${width}: ${problem}`));
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    });
    expect(failures).toEqual([]);
    expect(found.join('\n')).toBe('');
    expect(stops).toBe(enduring ? known.size : ofCheck.size);
    expect(arrivals).toBe([...arriving].filter((name) => enduring || ofCheck.has(name)).length);
    const shared = [...places].filter(([, paths]) => paths.size > 1);
    expect(shared).toEqual([]);
  });

  it('shows where the focus is, leads past the top, and these tests would see what is wrong', async (context) => {
    const browser = present(context);
    const page = await browser.newPage({ reducedMotion: 'no-preference' });
    await page.goto(states.studies.resolved.address('predict'));
    await page.locator('.predict-value').waitFor();
    const seen: string[] = [];
    for (let k = 0; k < 18; k++) {
      await page.keyboard.press('Tab');
      const { name, ring } = await page.evaluate<{ name: string; ring: string }>(focused);
      expect(`${name}: ${ring}`).toBe(`${name}: solid, 2 px or more`);
      seen.push(name);
    }
    expect(seen[0]).toBe('Skip to the page');
    expect(new Set(seen).size).toBeGreaterThan(12);
    await page.locator('button.skip').focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await expect.poll(() => page.url()).toContain('#');

    await page.evaluate(axe);
    await page.evaluate(`{
      document.title = 'Suffice';
      const poor = document.createElement('p');
      poor.innerHTML = '<img src="/icon.svg"><button class="button">x</button><button class="tiny">y</button><button class="tiny">z</button><h1>again</h1><span id="poor">pale</span>';
      document.querySelector('main').append(poor);
      Object.assign(document.getElementById('poor').style, { color: '#bbb', fontSize: '9px' });
      poor.style.width = '3000px';
      for (const tiny of poor.querySelectorAll('.tiny')) tiny.style.cssText = 'all: unset; font-size: 11px; line-height: 1';
    }`);
    const objections = [
      ...(await page.evaluate<string[]>(frame)),
      ...(await violations(page, allRules)),
    ].join('\n');
    for (const objection of [
      '2 h1',
      'title: Suffice',
      'scrolls sideways',
      'would move',
      '9.0 px: pale',
      'image-alt',
      'color-contrast',
    ]) {
      expect(objections).toContain(objection);
    }
    for (const rule of ['color-contrast', 'target-size']) {
      const found = await violations(page, only(rule));
      expect(found.map((one) => one.split(' ')[0])).toContain(rule);
    }
    await page.close();
  });
});
