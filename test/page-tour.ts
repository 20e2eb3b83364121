import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { type PageStates, penguinPath } from './page-states.ts';

/** A page in one state: how to get there from the stop before, and what then must be seen. */
export interface Stop {
  readonly name: string;
  go(page: Page): Promise<void>;
}

/** Stops of one page, one after the other in one tab. */
export interface Journey {
  readonly address: string;
  readonly stops: readonly Stop[];
}

/** Every page in the states it is mostly seen in; the last journey contributes, and so changes a study. */
export function pageTour({ studies, address }: PageStates): readonly Journey[] {
  return [
    one('studies', address('')),
    ...(['draft', 'collecting', 'resolved', 'unresolved', 'withdrawn'] as const).map((state) =>
      one(`study-${state}`, studies[state].address('study')),
    ),
    ...(['resolved', 'private', 'logistic', 'several', 'collecting'] as const).map((state) =>
      one(`result-${state}`, studies[state].address('result')),
    ),
    one('result-site', studies.resolved.siteAddress('result', 'dream')),
    {
      address: studies.resolved.address('predict'),
      stops: [
        { name: 'predict', go: (page) => seen(page, 'How it adds up') },
        {
          name: 'predict-filled',
          async go(page) {
            await page.getByLabel('bill_length (mm)').fill('47.5');
            await page.getByLabel('sex').selectOption('male');
            await page.getByLabel('species').selectOption('Gentoo');
            await page.locator('.predict-sum tr:not(.nothing)', { hasText: 'sexmale' }).waitFor();
          },
        },
        {
          name: 'predict-outside',
          async go(page) {
            await page.getByLabel('bill_length (mm)').fill('95');
            await seen(page, 'Outside the study’s range');
          },
        },
        {
          name: 'predict-file',
          async go(page) {
            await chooseFile(page, 'dream.csv', readFileSync(penguinPath('dream.csv')));
            await seen(page, 'Download as CSV');
          },
        },
        {
          name: 'predict-refused',
          async go(page) {
            await chooseFile(page, 'dream.csv', badCell());
            await seen(page, 'column “bill_length”');
          },
        },
      ],
    },
    ...(['private', 'logistic', 'several', 'classes', 'siteEffects', 'collecting'] as const).map(
      (state) => one(`predict-${state}`, studies[state].address('predict')),
    ),
    one('predict-site', studies.classes.siteAddress('predict', 'dream')),
  ];
}

function one(name: string, address: string): Journey {
  return { address, stops: [{ name, go: async () => {} }] };
}

/** Waits until a text stands on the page. */
export async function seen(page: Page, text: string): Promise<void> {
  await page.getByText(text).first().waitFor();
}

/** Gives the page a file, as the dialog of its button would. */
export async function chooseFile(page: Page, name: string, buffer: Buffer): Promise<void> {
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name, mimeType: 'text/csv', buffer });
}

/** A file whose third row has a number outside the range. */
function badCell(): Buffer {
  const lines = readFileSync(penguinPath('dream.csv'), 'utf8').split('\n');
  lines[3] = lines[3].replace(/^([^,]*),[^,]*/, '$1,395');
  return Buffer.from(lines.join('\n'));
}

/** Waits until nothing is on its way: the network, fonts, charts, and what holds their places. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page
    .locator('.waiting')
    .first()
    .waitFor({ state: 'detached', timeout: 5000 })
    .catch(() => {});
  await page.evaluate(`(async () => {
    await document.fonts.ready;
    for (let k = 0; k < 3; k++) await new Promise((done) => requestAnimationFrame(done));
  })()`);
}
