import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The program that checks a page, to be run in it. */
export const axe: string = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** All rules that are on by default, and the one of WCAG 2.2 AA that is not. */
export const allRules = `rules: { 'target-size': { enabled: true } }`;

/** What the rules object to: rule, element, and what would help. */
export async function violations(page: Page, rules: string): Promise<string[]> {
  const options = `{ resultTypes: ['violations'], ${rules} }`;
  const { violations: found } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => {
      const summary = failureSummary.replace(/\s+/g, ' ').slice(0, 200);
      return `${id} at ${target.join(' ')}: ${summary}`;
    }),
  );
}

/** That all rules find nothing in light and dark, and that a narrow page does not scroll sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  const size = page.viewportSize()!;
  expect(await violations(page, allRules)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 360, height: size.height });
  expect(await violations(page, `runOnly: ['color-contrast', 'target-size']`)).toEqual([]);
  const sideways = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
  expect(await page.evaluate<boolean>(sideways)).toBe(false);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(size);
}
