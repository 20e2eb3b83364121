import { UsageError } from '../usage-error.ts';

/** The files of --party NAME=FILE, by party. */
export function partyFiles(
  texts: readonly string[],
  asPath: (path: string) => string,
): Readonly<Record<string, string>> {
  const files = new Map<string, string>();
  for (const text of texts) {
    const [, name, path] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (path === undefined) {
      throw new UsageError(`--party must be NAME=FILE: ${text}`, 'try --party hospital=a.csv');
    }
    if (files.has(name)) {
      throw new UsageError(`--party names ${name} twice`, 'give one file for each party');
    }
    files.set(name, asPath(path));
  }
  return Object.fromEntries(files);
}
