import { Refusal } from '../protocol/refusal.ts';

/** A time in the one spelling that sorts: milliseconds and Z. */
export function normalTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) {
    throw new Refusal('bad-request', 'this is no time', 'write it as 2027-01-31T12:00:00Z');
  }
  return time.toISOString();
}

/** A time that must lie ahead. */
export function futureTime(text: string, now: string): string {
  const time = normalTime(text);
  if (time <= now) {
    throw new Refusal('bad-request', `the time has passed: ${time}`, 'choose one in the future');
  }
  return time;
}
