import type { Page } from 'playwright-core';
import type { PageStates } from './page-states.ts';
import { type Journey, one } from './page-tour.ts';

/** The lab before and after its experiments have run, with settings so small that nobody waits. */
export function labJourneys({ served }: PageStates): readonly Journey[] {
  const place = `${served.address}/lab`;
  const small = 'law=lognormal-high&nodes=20&dimension=3&runs=20&seed=7';
  const cards = ['heterogeneity', 'privacy'].map(
    (name) => `${name}.sites=4&${name}.rowsPerSite=60&${name}.features=5`,
  );
  return [
    {
      address: `${place}?${[small, ...cards].join('&')}`,
      stops: [
        { name: 'lab', go: (page) => page.getByText('Not started').first().waitFor() },
        { name: 'lab-finished', go: (page) => run(page, 'Averaging once, and adding once') },
        {
          name: 'lab-ridge',
          async go(page) {
            await run(page, 'Sites that differ');
            await run(page, 'Noise that protects rows');
          },
        },
      ],
    },
    one('lab-impossible', `${place}?nodes=9000&law=normal`, 'nodes=9000 is not possible'),
  ];
}

/** Starts the experiment of a card, and waits for its end. */
async function run(page: Page, name: string): Promise<void> {
  const card = page.getByRole('region', { name });
  await card.getByRole('button', { name: 'Start' }).click();
  await card.getByText('Finished').waitFor();
}
