import { type Ink, plainInk } from '../text/text-table.ts';
import type { KeyCounts } from '../vertical/party.ts';
import type { PartyModel, VerticalStudy } from '../vertical/vertical-study.ts';
import { partyOutgoing } from './party-outgoing.ts';
import { wrapped } from './wrapped.ts';

/** What a party would send to whom, and what everybody learns, for a terminal. */
export function partyText(
  study: VerticalStudy,
  part: PartyModel,
  counts: KeyCounts,
  ink: Ink = plainInk,
): string {
  const { messages, learns } = partyOutgoing(study, part, counts);
  return [
    ink.bold('What would be sent'),
    ...messages.flatMap(({ to, what, keys = [], detail }) => [
      ...wrapped('  ', `to ${to}: ${what}`),
      ...keys.map((key, k) => `    ${k + 1}. ${key}`),
      ...detail.flatMap((text) => wrapped('    ', text)),
    ]),
    '',
    ink.bold('What others learn'),
    ...learns.flatMap((text) => wrapped('  ', text)),
    '',
  ].join('\n');
}
