import type { Page } from 'playwright-core';

/**
 * Has a button that stops some work pressed as soon as it and the bar of that work are shown. A click from outside takes
 * frames of the page; on a busy machine the work can end before it.
 */
export async function stopAtOnce(page: Page, name: string): Promise<void> {
  await page.evaluate(`{
    const press = () => {
      const button = [...document.querySelectorAll('button')].find((one) => one.textContent.trim() === '${name}');
      if (button === undefined || document.querySelector('[role=progressbar], progress') === null) return;
      watch.disconnect();
      button.click();
    };
    const watch = new MutationObserver(press);
    watch.observe(document.body, { childList: true, subtree: true });
  }`);
}
