import type { Page } from 'playwright-core';

/** Notes when the heading comes, and how far things move that nobody has touched. */
export const watchArrival = `
  window.shift = 0;
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.shift += value;
      window.moved.push(...sources.map(({ node }) => node?.className || node?.nodeName));
    }
  }).observe({ type: 'layout-shift', buffered: true });
  new MutationObserver((_, observer) => {
    if (document.querySelector('h1') === null) return;
    window.headingAt = performance.now();
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });
`;

/** Waits until all that can be seen without scrolling is there, and has had a moment to move. */
export async function shown(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.waiting')].every(
      (place) => place.getBoundingClientRect().top > innerHeight,
    ),
  );
  await page.waitForTimeout(200);
}
