import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { createJourneys } from './create-tour.ts';
import { joinJourneys } from './join-tour.ts';
import { labJourneys } from './lab-tour.ts';
import { type PageStates, penguinPath } from './page-states.ts';
import { chooseFile, type Journey, one, seen } from './page-tour.ts';
import { secureJourneys } from './secure-tour.ts';

/** Every page in the states it is mostly seen in; what changes a study comes last. */
export function wholeTour(states: PageStates): readonly Journey[] {
  const { studies, address } = states;
  return [
    one('studies', address(''), 'Penguins of Palmer'),
    one('study-collecting', studies.collecting.address('study'), 'Penguins this season'),
    one('result-collecting', studies.collecting.address('result'), 'No result yet'),
    one('predict-collecting', studies.collecting.address('predict'), 'There is no model yet'),
    ...(['draft', 'resolved', 'unresolved', 'withdrawn'] as const).map((state) =>
      one(`study-${state}`, studies[state].address('study'), studies[state].name),
    ),
    ...(['resolved', 'private', 'logistic', 'several'] as const).map((state) =>
      one(`result-${state}`, studies[state].address('result'), studies[state].name),
    ),
    one('result-site', studies.resolved.siteAddress('result', 'dream'), 'Penguins of Palmer'),
    predicting(studies.resolved.address('predict')),
    ...(['private', 'logistic', 'several', 'classes', 'siteEffects'] as const).map((state) =>
      one(`predict-${state}`, studies[state].address('predict'), 'How it adds up'),
    ),
    one('predict-site', studies.classes.siteAddress('predict', 'dream'), 'How it adds up'),
    ...lostJourneys(states),
    ...labJourneys(states),
    ...joinJourneys(states),
    ...createJourneys(states),
    ...secureJourneys(states),
  ];
}

function predicting(address: string): Journey {
  return {
    address,
    stops: [
      { name: 'predict', go: (page) => seen(page, 'How it adds up') },
      {
        name: 'predict-filled',
        async go(page) {
          await page.getByLabel('bill_length (mm)').fill('47.5');
          await page.getByLabel('sex').selectOption('male');
          await page.getByLabel('species').selectOption('Gentoo');
          await page.locator('.predict-sum tr:not(.nothing)', { hasText: 'sex: male' }).waitFor();
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
          await page.locator('.predict-spread svg').first().waitFor();
        },
      },
      {
        name: 'predict-refused',
        async go(page) {
          await chooseFile(page, 'dream.csv', withCell('about 40'));
          await seen(page, 'column “bill_length”');
        },
      },
      {
        name: 'predict-outside-file',
        async go(page) {
          await chooseFile(page, 'dream.csv', withCell('395'));
          await seen(page, '1 row has a number outside the study’s ranges.');
        },
      },
    ],
  };
}

/** Addresses that lead nowhere, and a coordinator that does not answer. */
function lostJourneys({ served, studies, address }: PageStates): readonly Journey[] {
  const known = studies.resolved.address('predict');
  const stranger = known.replace(/#([0-9a-f]{16})/, '#0000000000000000');
  const silent = async (page: Page) => {
    await page.route(/\/studies(\/|$)/, (route) => route.abort());
  };
  const unanswered = (name: string, place: string): Journey => ({
    ...one(name, place, 'Cannot reach the coordinator'),
    before: silent,
  });
  return [
    one('not-found', `${served.address}/jion`, 'There is no such page'),
    one('bad-link-study', `${served.address}/study`, 'The link is not complete'),
    one('bad-link-result', `${served.address}/result#%`, 'names no study'),
    one('bad-link-predict', known.slice(0, -5), 'names no study'),
    one('bad-link-stranger', stranger, 'does not open a study here'),
    unanswered('down-studies', address('')),
    unanswered('down-predict', known),
  ];
}

/** A file whose third row has this bill length. */
function withCell(cell: string): Buffer {
  const lines = readFileSync(penguinPath('dream.csv'), 'utf8').split('\n');
  lines[3] = lines[3].replace(/^([^,]*),[^,]*/, `$1,${cell}`);
  return Buffer.from(lines.join('\n'));
}
