/** A value as JSON without the numbers that JSON cannot hold. */
export function finiteJson(value: unknown): string {
  const finite = (_: string, member: unknown) =>
    typeof member === 'number' && !Number.isFinite(member) ? undefined : member;
  return JSON.stringify(value, finite, 2);
}
