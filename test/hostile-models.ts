import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** JSON as a file holds it. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A text that is code to Python, R, a page, a terminal and a spreadsheet. */
export const MARKER =
  'M"][:__import__("os").system("x")]\'+system("x")\n<img src=x onerror=x>\u001b[31m\u202e';

/** What a hostile hand puts in place of a value. */
export const markers: readonly (readonly [string, Json])[] = [
  ['a text', MARKER],
  ['a list of texts', [MARKER]],
  ['an object', { length: 1e9, toString: MARKER, 0: MARKER }],
  ['a text like a number', '1e5'],
  ['a huge number', 1e308],
  ['a negative number', -7.5],
  ['null', null],
  ['a nested list', [[[MARKER]], {}]],
  ['true', true],
  ['an empty list', []],
];

/** The places of all values in a JSON value, objects and lists included. */
export function placesIn(json: Json, place: readonly string[] = []): (readonly string[])[] {
  if (json === null || typeof json !== 'object') return [place];
  const inner = Object.entries(json).flatMap(([key, value]) => placesIn(value, [...place, key]));
  return place.length === 0 ? inner : [place, ...inner];
}

/** The JSON value with another value at one place. */
export function changedAt(json: Json, [key, ...rest]: readonly string[], value: Json): Json {
  if (key === undefined) return value;
  const inner = (json as Record<string, Json>)[key] as Json;
  if (Array.isArray(json)) return json.with(Number(key), changedAt(inner, rest, value));
  return { ...(json as object), [key]: changedAt(inner, rest, value) };
}

/** Source code without its comments and its literals. */
export function bareCode(source: string): string {
  return source
    .replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''")
    .replaceAll(/#.*$/gm, '');
}

/** A table of three sites with numbers, a category, counts and a yes or no, as files in a folder. */
export function siteFiles(folder: string): readonly string[] {
  return ['north', 'south', 'west'].map((site, s) => {
    const lines = Array.from({ length: 60 }, (_, k) => {
      const x = ((k * 37 + s * 11) % 97) / 10;
      const z = ((k * 53 + s * 29) % 89) / 10 - 3;
      const g = ['a', 'b', 'c'][(k * 7 + s) % 3];
      const noise = ((k * 71 + s * 13) % 31) / 10;
      const y = 2 + x - 0.5 * z + (g === 'b' ? 1 : 0) + noise + s;
      const d = y + noise > 8 ? 'yes' : 'no';
      return [y.toFixed(2), x, z.toFixed(1), g, d, (k * 3 + s) % 5].join();
    });
    const path = join(folder, `${site}.csv`);
    writeFileSync(path, `y,x,z,g,d,k\n${lines.join('\n')}\n`);
    return path;
  });
}

/** Fits that together fill every part of a report and every answer. */
export const kinds: readonly (readonly [string, readonly string[]])[] = [
  [
    'least squares',
    [
      'y ~ x*g + log(k + 1)',
      '--show',
      'all',
      '--drop',
      'x:g',
      '--contrast',
      'gb - gc',
      '--at',
      'x=3,g=a,k=2',
      '--trend',
      'g',
    ],
  ],
  ['fixed site effects', ['y ~ x + g', '--site-effects', 'fixed']],
  ['random site effects', ['y ~ x + g', '--site-effects', 'random', '--show', 'all']],
  ['clustered errors', ['y ~ x + .site', '--se', 'clustered']],
  ['a chosen ridge', ['y ~ x + z + g', '--ridge', 'loso', '--show', 'all']],
  ['a lasso', ['y ~ x + z + g', '--lasso', '0.1', '--show', 'path']],
  ['several responses', ['cbind(y, z) ~ x + g', '--show', 'all']],
  ['a projection', ['y ~ x*g + z + k', '--projection', '3']],
  ['a logistic regression', ['d ~ x + z', '--family', 'binomial', '--show', 'all']],
  ['classes', ['g ~ x + z + y', '--show', 'discriminant']],
  ['averages', ['y ~ x + g', '--fusion', 'average', '--covariance']],
  ['a private model', ['y ~ x + z', '--epsilon', '5']],
];
