import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseStudy } from '../../fusion/study-schema.ts';
import { packageRoot } from '../files/package-files.ts';
import type { Demo, DemoSite } from './demo-content.ts';

const folder = new URL('examples/penguins/', packageRoot);
const warned = { biscoe: [], dream: ['R6'], torgersen: ['R6', 'R7'] };

/** The Palmer penguins by island: no island has all three species. */
export function penguinDemo(): Demo {
  const sites = Object.entries(warned).map(([name, acknowledged]) => island(name, acknowledged));
  return {
    title: 'Three islands, one model',
    about: `Three islands each weighed and measured their own penguins. No island has all three species, so no
island alone can compare them:`,
    study: parseStudy(JSON.parse(readFileSync(new URL('study.json', folder), 'utf8'))),
    sites,
    audited: `Before it sent its sums, each island checked them with twelve disclosure rules. Two islands got warnings, one for a
bird that stands out (R6), one for having only one species (R7), and acknowledged them. A small or unbalanced file
would have been refused.`,
    pool: (into) => pooled(sites, into),
    compare: termsBeside('three sites', 'one file'),
    choice: 'examples/penguins/dream.csv',
  };
}

function island(name: string, acknowledged: readonly string[]): DemoSite {
  const path = fileURLToPath(new URL(`${name}.csv`, folder));
  const text = readFileSync(path, 'utf8');
  const rows = text.trimEnd().split('\n').slice(1);
  const species = [...new Set(rows.map((row) => row.slice(0, row.indexOf(','))))].sort();
  return { name, path, holds: species.join(', '), bytes: Buffer.byteLength(text), acknowledged };
}

function pooled(sites: readonly DemoSite[], into: string): string {
  const tables = sites.map(({ path }) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  const rows = [tables[0][0], ...tables.flatMap((lines) => lines.slice(1))];
  const path = join(into, 'pooled.csv');
  writeFileSync(path, `${rows.join('\n')}\n`);
  return path;
}

/** Estimates of two reports, term by term, under these names. */
export function termsBeside(...names: readonly [string, string]): Demo['compare'] {
  const line = ([label, ...cells]: readonly string[]) =>
    `${label.padEnd(18)}${cells.map((cell) => cell.padStart(22)).join('')}`;
  return (a, b, ink) => [
    ink.faint(line(['', ...names, 'difference'])),
    ...a.terms!.map(({ term, estimate }, k) => {
      const other = b.terms![k].estimate;
      const difference = (estimate ?? 0) - (other ?? 0);
      return line([term, String(estimate), String(other), String(difference)]);
    }),
  ];
}
