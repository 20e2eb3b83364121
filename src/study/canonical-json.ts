/** JSON with sorted keys and no spaces, so that equal values have equal bytes (after RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const entries = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${entries.join(',')}}`;
}

/** Characters after which a part ends. */
const PART = 2 ** 16;

/**
 * Gives the text of `canonicalJson` part by part, so that a list of very many sites is never a whole text in memory.
 * No part ends inside a character.
 */
export function canonicalParts(value: unknown, take: (part: string) => void): void {
  let part = '';
  const put = (text: string) => {
    part += text;
    if (part.length < PART) return;
    take(part);
    part = '';
  };
  putValue(value, put);
  take(part);
}

function putValue(value: unknown, put: (text: string) => void): void {
  if (!isLong(value)) {
    put(canonicalJson(value) ?? '');
  } else if (Array.isArray(value)) {
    put('[');
    for (const [k, member] of value.entries()) {
      if (k > 0) put(',');
      putValue(member, put);
    }
    put(']');
  } else {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    put('{');
    for (const [k, [key, member]] of members.entries()) {
      put(`${k > 0 ? ',' : ''}${JSON.stringify(key)}:`);
      putValue(member, put);
    }
    put('}');
  }
}

/** Entries from which a list is given in parts. */
const LONG = 64;

/** Whether a value is a long list, or has one among its members. */
function isLong(value: unknown): value is object {
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length >= LONG || value.some(isLong);
  return Object.values(value).some(isLong);
}
