import { finiteJson } from '../src/text/finite-json.ts';

/** A value as JSON holds it, its numbers to ten digits: further right an engine's own exp and log may differ. */
export function tenDigits(value: unknown): unknown {
  return JSON.parse(finiteJson(value), (_, member) =>
    typeof member === 'number' ? Number(member.toPrecision(10)) : member,
  );
}
