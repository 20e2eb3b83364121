import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forbiddenKnowledge, withoutComments } from './forbidden-knowledge.ts';

// How many files outside study/, fusion/ and privacy/ know of what: npx tsx test/knowledge.ts BEFORE AFTER

/** What a file says that knows of something, comments left out. */
const knowledge: Readonly<Record<string, (code: string, file: string) => boolean>> = {
  'ridge (its name or its terms)': (code) =>
    /'ridge'|\bRidge(?:Fusion|Rule)\b|\bisRidge/.test(code),
  'glm, fisher (name, terms or part of a name)': (code) => /glm|fisher/i.test(code),
  'average, fesc (name or terms)': (code) => /'average'|fesc|\b\w*EstimateFusion\b/i.test(code),
  'a fusion by its kind (forbidden forms)': (code, file) => has(code, file, /fusion|kind|isGlm/i),
  'privacy of a study (forbidden forms)': (code, file) => has(code, file, /privacy/),
  'privacy (the word)': (code) => /\bprivacy\b/.test(code),
  'parts (of a site, or whether they are needed)': (code) =>
    /\b(?:Site|Linear)Part\b|\bneedsParts\b/.test(code),
};

function has(code: string, file: string, form: RegExp): boolean {
  return forbiddenKnowledge(code, file).some((found) => form.test(found.form));
}

function codeOf(root: string, folder: 'src' | 'web'): [code: string, file: string][] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.wasm\.ts$/.test(file))
    .filter((file) => folder === 'web' || !/^(study|fusion|privacy)\//.test(file))
    .map((file) => [
      withoutComments(readFileSync(join(root, folder, file), 'utf8')),
      `${folder}/${file}`,
    ]);
}

const trees = process.argv.slice(2);
const folders = ['src', 'web'] as const;
const counted = trees.flatMap((root) => folders.map((folder) => codeOf(root, folder)));
const line = (name: string, cells: readonly (string | number)[]) =>
  `${name.padEnd(48)}${cells.map((cell) => String(cell).padStart(14)).join('')}`;
console.log(
  line(
    'files that know of',
    trees.flatMap((root) => folders.map((folder) => join(root, folder).slice(-13))),
  ),
);
for (const [name, knows] of Object.entries(knowledge)) {
  console.log(
    line(
      name,
      counted.map((files) => files.filter((file) => knows(...file)).length),
    ),
  );
}
console.log(
  line(
    'forbidden forms, places',
    counted.map((files) =>
      files.reduce((sum, file) => sum + forbiddenKnowledge(...file).length, 0),
    ),
  ),
);
console.log(
  line(
    'files in all',
    counted.map((files) => files.length),
  ),
);
