import { readFileSync } from 'node:fs';

/** The instructions of deploy/Dockerfile, in their order. */
export const instructions: readonly (readonly [name: string, rest: string])[] = readFileSync(
  new URL('../deploy/Dockerfile', import.meta.url),
  'utf8',
)
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => /^([A-Z]+) (.*)$/.exec(line)!.slice(1, 3) as [name: string, rest: string]);
