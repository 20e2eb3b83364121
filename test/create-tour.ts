import type { Page } from 'playwright-core';
import { type PageStates, penguinPath } from './page-states.ts';
import type { Journey } from './page-tour.ts';

/** The pages of the operator in the states they are mostly seen in; the second journey creates a study. */
export function createJourneys({ served, address }: PageStates): readonly Journey[] {
  return [
    {
      address: address('create'),
      stops: [
        { name: 'create', go: (page) => seen(page, 'Drop a CSV or Parquet file here') },
        {
          name: 'create-errors',
          async go(page) {
            await page.getByLabel('Formula').fill('body_mass ~ bill_length + (sex');
            await page.getByLabel('Sites, one on each line').fill('biscoe\ndream\nbiscoe');
            await page.locator('mark').waitFor();
            await page.getByRole('button', { name: 'Create the study' }).click();
            await seen(page, 'Nothing was created. Please correct this first:');
          },
        },
      ],
    },
    {
      address: address('create'),
      stops: [
        {
          name: 'create-sample',
          async go(page) {
            await page.locator('input[type=file]').first().setInputFiles(penguinPath('biscoe.csv'));
            await seen(page, 'Columns of the sample');
          },
        },
        { name: 'create-review', go: fillStudy },
        {
          name: 'create-private',
          async go(page) {
            await page.getByRole('radio', { name: 'Noise (differential privacy)' }).check();
            await page.getByLabel('Expected number of rows').fill('300');
            await page.getByLabel('ε', { exact: true }).fill('0.1');
            await seen(page, 'Create the study anyway');
          },
        },
        {
          name: 'create-created',
          async go(page) {
            await page.getByRole('radio', { name: 'Disclosure rules' }).check();
            await page.locator('.study-terms', { hasText: 'Disclosure rules' }).waitFor();
            await page.getByRole('button', { name: 'Create the study' }).click();
            await seen(page, 'These links are shown once');
          },
        },
      ],
    },
    {
      address: `${served.address}/`,
      stops: [
        { name: 'studies-key', go: (page) => seen(page, 'You run this coordinator') },
        {
          name: 'studies-refused',
          async go(page) {
            await page.getByLabel('Operator’s token').fill(`sfo_${'x'.repeat(43)}`);
            await page.getByRole('button', { name: 'Open' }).click();
            await seen(page, 'does not know this token');
          },
        },
      ],
    },
  ];
}

async function seen(page: Page, text: string): Promise<void> {
  await page.getByText(text).first().waitFor();
}

/** Fills in what a sample leaves open: a study that could be created. */
async function fillStudy(page: Page): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('Body mass of penguins');
  await page.getByLabel('Formula').fill('body_mass ~ bill_length + sex');
  await page.getByLabel('Sites, one on each line').fill('biscoe\ndream\ntorgersen');
  await page.getByLabel('Quorum').fill('3');
  await page.locator('.study-terms').waitFor();
}
