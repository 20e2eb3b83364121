import type { DevicesView } from '../protocol/enrolment.ts';
import { utcText } from '../text/duration.ts';
import { grouped } from '../text/number-text.ts';
import { visibleText } from '../text/visible-text.ts';

/** How many devices take part, for people. */
export function devicesText({ enrolled, contributed, atMost, ends, open }: DevicesView): string {
  const limit = atMost === undefined ? '' : ` of at most ${grouped(atMost)}`;
  const until = open && ends !== undefined ? ` until ${visibleText(utcText(ends))}` : '';
  return `${grouped(contributed)} devices have contributed, ${grouped(enrolled)}${limit} enrolled; enrolling ${open ? `is open${until}` : 'has ended'}`;
}
