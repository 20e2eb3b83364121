import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseStudy } from '../../fusion/study-schema.ts';
import type { Report } from '../../model/report.ts';
import type { PredictingModel } from '../../rows/predict.ts';
import { CLASS_COLUMN } from '../../study/image-study.ts';
import { grouped } from '../../text/number-text.ts';
import { type Ink, layOut } from '../../text/text-table.ts';
import { packageRoot } from '../files/package-files.ts';
import type { Demo, DemoSite } from './demo-content.ts';
import { type ClassTable, heldOutClasses } from './held-out-classes.ts';

const folder = new URL('examples/digits/', packageRoot);
const warned = { north: ['R5', 'R6'], middle: ['R6'], south: ['R6'] };

/** Handwritten digits at three sites that each know other digits. */
export function digitDemo(): Demo {
  const sites = Object.entries(warned).map(([name, acknowledged]) => site(name, acknowledged));
  return {
    title: 'Three sites, one classifier',
    about: `Three sites each have handwritten digits of 8 × 8 pixels. No site has all ten digits, so no site alone can tell
them apart:`,
    study: parseStudy(JSON.parse(readFileSync(new URL('study.json', folder), 'utf8'))),
    sites,
    audited: `Before it sent its sums, each site checked them with twelve disclosure rules. All got warnings and acknowledged them:
some images have more weight than others (R6), or make most of a sum over one digit (R5). With more filters or
smaller windows the rules would have refused these small files.`,
    pool: (into) => pooled(sites, into),
    compare: fitBeside,
    tryOut: heldOutText,
    traffic: `The sums have one size, however many images a site has.`,
    choice: 'both files examples/digits/south-…',
  };
}

const pathOf = (name: string, part: 'images' | 'labels') =>
  fileURLToPath(new URL(`${name}-${fileName(part)}`, folder));

const fileName = (part: 'images' | 'labels') =>
  part === 'images' ? 'images.idx3-ubyte' : 'labels.idx1-ubyte';

/** Bytes before the values of an IDX file: a magic number and the length of each side. */
const HEADER = { images: 16, labels: 8 };

function site(name: string, acknowledged: readonly string[]): DemoSite {
  const path = pathOf(name, 'images');
  const labels = readFileSync(pathOf(name, 'labels')).subarray(HEADER.labels);
  const digits = [...new Set(labels)].sort((a, b) => a - b);
  const holds = `${grouped(labels.length)} images of ${digits.join(', ')}`;
  return { name, path, holds, bytes: readFileSync(path).length, acknowledged };
}

/** One pair of IDX files with the images of all sites. */
function pooled(sites: readonly DemoSite[], into: string): string {
  for (const part of ['images', 'labels'] as const) {
    const files = sites.map(({ name }) => readFileSync(pathOf(name, part)));
    const header = Buffer.from(files[0].subarray(0, HEADER[part]));
    header.writeUInt32BE(
      files.reduce((sum, file) => sum + file.readUInt32BE(4), 0),
      4,
    );
    const values = files.map((file) => file.subarray(HEADER[part]));
    writeFileSync(join(into, `pooled-${fileName(part)}`), Buffer.concat([header, ...values]));
  }
  return join(into, `pooled-${fileName('images')}`);
}

function fitBeside(a: Report, b: Report, ink: Ink): string[] {
  const line = ([label, ...cells]: readonly string[]) =>
    `${label.padEnd(12)}${cells.map((cell) => cell.padStart(22)).join('')}`;
  return [
    ink.faint(line(['R-squared', 'three sites', 'one file'])),
    ...a.responses!.map(({ response, glance }, k) =>
      line([response, String(glance['r.squared']), String(b.responses![k].glance['r.squared'])]),
    ),
  ];
}

/** How the model does on the digits that no site has. */
async function heldOutText(model: PredictingModel, ink: Ink): Promise<string> {
  const table = await heldOutClasses(model, pathOf('held-out', 'images'), CLASS_COLUMN);
  const { levels, counts, rows, right } = table;
  const cells = (row: readonly number[]) => row.map((n) => (n === 0 ? '·' : grouped(n)));
  const columns = [
    ['digit', ...levels],
    ...levels.map((level, j) => [`→ ${level}`, ...cells(counts.map((row) => row[j]))]),
  ];
  return `The model reads ${grouped(rows)} digits that no site has. A row is a digit, a column what the model says:

${layOut(columns, ink)
  .map((line) => `  ${line}`)
  .join('\n')}

  ${ink.bold(`${((100 * right) / rows).toFixed(1)} % right`)}: ${right} of ${rows}${mistakesText(table)}`;
}

/** The mistake made most often. */
function mistakesText({ levels, counts }: ClassTable): string {
  const mistakes = counts.flatMap((row, i) =>
    row.map((n, j) => ({ n: i === j ? 0 : n, actual: levels[i], predicted: levels[j] })),
  );
  const [worst] = mistakes.sort((a, b) => b.n - a.n);
  if (worst.n === 0) return '';
  return `; the most frequent mistake is ${worst.actual} read as ${worst.predicted}, ${worst.n} times`;
}
