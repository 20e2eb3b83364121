import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { postStudy } from '../src/protocol/client.ts';
import { linkText } from '../src/protocol/link.ts';
import type { TableStudy } from '../src/study/study.ts';
import { islands, type PageStates, penguinPath } from './page-states.ts';
import { chooseFile, type Journey, type Stop, seen } from './page-tour.ts';

/** The page of a site in every state it can be in; what is sent goes to studies of its own. */
export function joinJourneys(states: PageStates): readonly Journey[] {
  const { studies } = states;
  const own = (study: Partial<TableStudy>) => async (page: Page) => {
    await page.goto(await invitation(states, study));
    await ready(page);
  };
  const arrival = studies.collecting.siteAddress('join', 'dream');
  return [
    {
      address: arrival,
      stops: [
        { name: 'join', go: ready },
        { name: 'join-options', go: unfold },
        { name: 'join-reading', go: pretendReading },
      ],
    },
    {
      address: arrival,
      stops: [
        { name: 'join-mismatch', go: gives(mismatched(), 'does not fit the study') },
        { name: 'join-unreadable', go: gives(ragged(), 'cannot be used as it is') },
        { name: 'join-refused', go: gives(oneSided(), 'nothing can be sent') },
        { name: 'join-read', go: gives(dream(), 'Warnings to acknowledge') },
        {
          name: 'join-numbers',
          async go(page) {
            await page.getByRole('radio', { name: 'Numbers' }).check({ force: true });
            await seen(page, 'Rounded here; the copy has all digits.');
          },
        },
      ],
    },
    {
      address: arrival,
      stops: [
        {
          name: 'join-unsent',
          async go(page) {
            await own({ name: 'Penguins far away' })(page);
            await page.route('**/contributions', (route) => route.abort());
            await gives(dream(), 'Warnings to acknowledge')(page);
            await approve(page);
            await seen(page, 'It has no receipt yet');
          },
        },
        {
          name: 'join-waiting',
          async go(page) {
            await page.reload();
            await seen(page, 'You approved a contribution that has no receipt yet');
          },
        },
        {
          name: 'join-sent',
          async go(page) {
            await page.unrouteAll();
            await page.getByRole('button', { name: /^Send the same/ }).click();
            await seen(page, 'Sent and acknowledged');
          },
        },
        {
          name: 'join-withdraw',
          async go(page) {
            await page.getByRole('button', { name: 'Withdraw from the study' }).click();
            await seen(page, 'Withdraw and erase');
          },
        },
        {
          name: 'join-contributed',
          async go(page) {
            await page.reload();
            await page.getByText('Everything this browser has sent').click();
            await seen(page, 'Save the ledger');
          },
        },
      ],
    },
    {
      address: arrival,
      stops: [
        {
          name: 'join-private',
          go: own({ name: 'Penguins behind noise', privacy: localNoise }),
        },
        { name: 'join-private-read', go: gives(dream(), 'Privacy budget') },
      ],
    },
    one('join-draft', studies.draft.siteAddress('join', 'dream')),
    one('join-closed', studies.unresolved.siteAddress('join', 'dream')),
    one('join-resolved', studies.resolved.siteAddress('join', 'dream')),
    one('join-spent', studies.private.siteAddress('join', 'dream')),
    one('join-revoked', arrival.replace(/(.{8})(\.[^.]*)$/, 'AAAAAAAA$2')),
    one('join-incomplete', arrival.slice(0, -9)),
    one('join-runner', studies.collecting.address('study').replace('/study#', '/join#')),
  ];
}

function one(name: string, address: string): Journey {
  return { address, stops: [{ name, go: (page) => page.locator('.notice').first().waitFor() }] };
}

const localNoise = {
  epsilon: 3,
  delta: 1e-6,
  unit: 'row',
  placement: 'local',
  expectedRows: 333,
} as const;

/** The address of one more study for the dream island. */
async function invitation({ served }: PageStates, change: Partial<TableStudy>): Promise<string> {
  const operator = readFileSync(served.operatorTokenFile!, 'utf8').trim();
  const penguins = parseStudy(JSON.parse(readFileSync(penguinPath('study.json'), 'utf8')));
  const { id, coordinatorKey, invitations } = await postStudy(served.address, operator, {
    study: { ...penguins, ...change },
    sites: islands,
  });
  const { token } = invitations.find(({ site }) => site === 'dream')!;
  const place = { coordinator: served.address, study: id, coordinatorKey };
  return linkText({ ...place, purpose: 'join', token });
}

async function ready(page: Page): Promise<void> {
  await page.locator('.tag', { hasText: 'Ready for your file' }).waitFor();
}

async function unfold(page: Page): Promise<void> {
  for (const words of ['How the file is read', 'Paste rows instead', 'Other sites, and'])
    await page.getByText(words).click();
}

/** Gives a file, from wherever the page is with an earlier one. */
function gives(lines: readonly string[], words: string): Stop['go'] {
  return async (page) => {
    const another = page.getByRole('button', { name: 'Choose another file' });
    if ((await another.count()) > 0) await another.click();
    await ready(page);
    await chooseFile(page, 'dream.csv', Buffer.from(lines.join('\n')));
    await seen(page, words);
  };
}

async function approve(page: Page): Promise<void> {
  for (const box of await page.getByRole('checkbox').all()) await box.check();
  await page.getByRole('button', { name: /^Send / }).click();
}

/** Half-way through a gigabyte: the worker never gets the file, and the progress is made up. */
async function pretendReading(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (this: Worker, message: { id: number; name?: string }) {
      if (message.name !== 'readSiteFile') return postMessage.call(this, message);
      const progress = {
        phase: 'reducing',
        bytes: 5.2e8,
        totalBytes: 1e9,
        rows: 5.2e6,
        seconds: 9,
      };
      const data = { id: message.id, update: progress };
      this.dispatchEvent(new MessageEvent('message', { data }));
    } as Worker['postMessage'];
  });
  await chooseFile(page, 'dream.csv', Buffer.from(dream().join('\n')));
  await page.getByRole('progressbar').waitFor();
}

function dream(): readonly string[] {
  return readFileSync(penguinPath('dream.csv'), 'utf8').trimEnd().split('\n');
}

/** A renamed column, and numbers in another unit. */
function mismatched(): readonly string[] {
  const [header, ...rows] = dream();
  const mass = header.split(',').indexOf('body_mass');
  const inKilograms = (row: string) =>
    row
      .split(',')
      .map((cell, k) => (k === mass && /^\d+$/.test(cell) ? String(Number(cell) / 1000) : cell))
      .join(',');
  return [header.replace('species', 'kind'), ...rows.map(inKilograms)];
}

function ragged(): readonly string[] {
  return dream().with(17, '3,4');
}

/** Nearly all of one species: a small cell, and a level that holds for nearly everyone. */
function oneSided(): readonly string[] {
  const [header, ...rows] = dream();
  const chinstraps = rows.filter((row) => row.includes('Chinstrap'));
  const others = rows.filter((row) => !row.includes('Chinstrap'));
  return [header, ...chinstraps, ...others.slice(0, 6)];
}
