import { DataError } from '../data-error.ts';

/** A roster as people write it: a name and a key on each line, or an object of JSON. */
export function rosterIn(text: string, file: string): Record<string, string> {
  const entries = text.trimStart().startsWith('{')
    ? entriesOfJson(text, file)
    : entriesOfLines(text, file);
  const roster = Object.fromEntries(entries);
  if (Object.keys(roster).length < entries.length) {
    throw new DataError('a site is listed twice', { file }, 'list each site once');
  }
  return roster;
}

function entriesOfJson(text: string, file: string): [string, string][] {
  try {
    return Object.entries(JSON.parse(text)).map(([name, key]) => [name, String(key)]);
  } catch {
    throw new DataError('the roster is not JSON', { file }, 'write a name and a key on each line');
  }
}

function entriesOfLines(text: string, file: string): [string, string][] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.flatMap((line, k): [string, string][] => {
    if (line === '' || line.startsWith('#')) return [];
    const [, name, key] = /^(.*\S)\s+([\w-]{43})$/.exec(line) ?? [];
    if (key !== undefined) return [[name, key]];
    throw new DataError(
      `line ${k + 1} of the roster is not a name and a key`,
      { file },
      'write the name of a site and its key, 43 characters, on each line',
    );
  });
}
