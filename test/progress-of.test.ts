import { expect, it } from 'vitest';
import type { SiteStatus } from '../src/protocol/messages.ts';
import { progressOf } from '../src/protocol/progress.ts';
import { progressText } from '../src/site/progress-text.ts';
import { membershipText } from '../src/site/study-text.ts';

const sites = (...states: readonly SiteStatus['state'][]): SiteStatus[] =>
  states.map((state, k) => ({ name: `s${k}`, state, contributions: 0, late: 0 }) as SiteStatus);

const devices = { enrolled: 1200, contributed: 3, withdrawn: 2, open: true };

it.each([
  [{ sites: sites('contributed', 'withdrawn') }, '1 of 1 site has contributed'],
  [{ sites: sites('contributed', 'revoked', 'invited') }, '1 of 2 sites have contributed'],
  [{ sites: sites('ready', 'invited') }, '0 of 2 sites have contributed'],
  [{ sites: [], devices }, '3 of 1,198 devices have contributed'],
  [{ sites: sites('contributed'), devices }, '1 of 1 site has contributed'],
])('who has withdrawn or was revoked is not expected any more', (view, text) => {
  expect(progressText(progressOf(view))).toBe(text);
});

it('a site is told the same count', () => {
  const view = { sites: sites('contributed', 'withdrawn', 'invited'), state: 'open', quorum: 1 };
  const told = membershipText(view as unknown as Parameters<typeof membershipText>[0]);
  expect(told).toContain('open; 1 of 2 sites have contributed; 1 needed');
});
