import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Words that a stranger could not guess, each with the word to write instead. In the names of the code. */
const names: Readonly<Record<string, string>> = {
  desk: 'worker, or context',
  duty: 'call',
  duties: 'WorkerApi',
  told: 'view, text, or shown',
  story: 'text',
  stories: 'texts',
  onlooker: 'screen',
  hopeless: 'tooNoisy',
  barred: 'disabledReason',
  wish: 'option',
  wishes: 'options',
  inquiry: 'query',
  inquire: 'runQuery',
  evidence: 'input',
  findings: 'result',
  arrival: 'landing',
  standing: 'membership',
  intake: 'uploadLimits',
  tend: 'runDueWork',
  ear: 'listener',
  meter: 'counter, or bar',
  advice: 'remedy',
  trouble: 'failure',
  settled: 'fixed',
  unruled: 'withoutRules',
  unanswerable: 'whyNoQueries',
  sight: 'whoSees',
  plainly: 'derivable',
  leaving: 'outgoing',
};

/** Words and phrases that need a second reading, in comments, on screens and in the documents. */
const phrases: Readonly<Record<string, string>> = {
  desk: 'worker',
  duty: 'call',
  duties: 'calls',
  onlooker: 'terminal',
  hopeless: 'too noisy',
  inquiry: 'query',
  intake: 'upload limits',
  told: 'shown, said, or named',
  'tends? to it': 'runs due work',
  'who runs the study': 'the analyst',
  whoever: 'the person who, or anyone who',
  'so many': 'the number of',
  'kept apart': 'stored as late',
  'warns no': 'warns: …',
  'refuses no': 'refuses: …',
  'none of ours': 'unknown',
  "anybody's say": 'approval',
  'nobody knows where': 'unknown',
  'what would leave': 'what is sent',
  'makes of (a|the)': 'prepares … from …',
};

/** Names that are a public contract, or another field's own word. */
const exceptions: readonly (readonly [file: string, word: string])[] = [
  ['docs/protocol.md', 'inquiry'], // a key of suffice/analysis@1
  ['src/attack/exposure.ts', 'standing'], // "standingOut" is a key of suffice/attack@1
  ['src/table/parquet.ts', 'settled'], // Promise.allSettled
  ['experiments/privacy/markdown.ts', 'whoever'], // text of committed results
  ['experiments/privacy/markdown.ts', 'told'], // text of committed results
  ['experiments/ridge/projection-tables.ts', 'advice'], // text of committed results
  // `advice` and `evidence` are keys of the JSON of reports and answers.
  ['src/analysis/answer-text.ts', 'advice'],
  ['src/analysis/answer.ts', 'advice'],
  ['src/analysis/question.ts', 'advice'],
  ['src/export/html-report.ts', 'advice'],
  ['src/export/site-sections.ts', 'advice'],
  ['src/export/site-sections.ts', 'evidence'],
  ['src/model/report-text.ts', 'advice'],
  ['src/analysis/answer-schema.ts', 'advice'],
  ['src/analysis/answer-schema.ts', 'evidence'],
  ['src/model/report-schema.ts', 'advice'],
  ['src/model/report-schema.ts', 'evidence'],
  ['src/model/report.ts', 'advice'],
  ['src/model/site-flag.ts', 'advice'],
  ['src/model/site-flag.ts', 'evidence'],
  // Promise.allSettled
  ['src/rows/pool.ts', 'settled'],
  // JSON keys of answers, flags and reports.
  ['web/pages/result/agreement.tsx', 'advice'],
  ['web/pages/result/columns.tsx', 'advice'],
  ['web/pages/result/doubts.tsx', 'advice'],
  ['web/pages/result/doubts.tsx', 'evidence'],
  ['web/pages/result/headline.tsx', 'advice'],
  ['web/worker/exploration.ts', 'advice'],
  // The key `inquiry` of suffice/analysis@1, and `Inquiry` in the OpenAPI document.
  ['src/coordinator/analyses.ts', 'inquiry'],
  ['src/node/files/parsed-model.ts', 'inquiry'],
  ['src/protocol/answer-schemas.ts', 'inquiry'],
  ['src/protocol/messages.ts', 'inquiry'],
  ['src/protocol/operations.ts', 'inquiry'],
  // The key `advice` of a report's deviation.
  ['src/node/run/fit-rounds.ts', 'advice'],
  ['src/cli/attack-text.ts', 'standing'], // standingOut: a key of suffice/attack@1
];

const skipped = /node_modules|\.wasm\.ts$|experiments\/results|\.svg$|\.png$/;

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => ending.test(file) && !skipped.test(file))
    .sort();
}

const code = ['src', 'web', 'experiments'].flatMap((folder) => filesIn(folder, /\.tsx?$/));
const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesIn('docs', /\.md$/)];
const pages = filesIn('web', /\.(html|css)$/);

/** Names apart: `toldStudy` is "told Study". */
const apart = (text: string) => text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');

/** The code without its comments and strings. */
const namesOf = (text: string) =>
  text
    .replace(/\/\*.*?\*\//gs, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|\s)\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''");

function found(file: string, text: string, words: Readonly<Record<string, string>>): string[] {
  const all = Object.keys(words);
  const any = new RegExp(`\\b(?:${all.join('|')})\\b`, 'i');
  if (!any.test(text)) return [];
  return text.split('\n').flatMap((line, k) => {
    if (!any.test(line)) return [];
    return Object.entries(words)
      .filter(([word]) => new RegExp(`\\b${word}\\b`, 'i').test(line))
      .filter(([word]) => !exceptions.some(([at, name]) => at === file && name === word))
      .map(([word, better]) => `${file}:${k + 1} has "${word}"; write ${better}`);
  });
}

const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('plain words', () => {
  it('in the names of the code', () => {
    expect(code.flatMap((file) => found(file, apart(namesOf(read(file))), names))).toEqual([]);
  });

  it('in the names of files', () => {
    const spelled = [...code, ...documents, ...pages].map((file) => [
      file,
      file.replaceAll(/[-/.]/g, ' '),
    ]);
    expect(spelled.flatMap(([file, text]) => found(file, text, names))).toEqual([]);
  });

  it('in comments and on screens', () => {
    const texts = [...code, ...pages];
    expect(texts.flatMap((file) => found(file, read(file), phrases))).toEqual([]);
  });

  it('in the documents', () => {
    expect(documents.flatMap((file) => found(file, read(file), phrases))).toEqual([]);
  });
});

describe('exported names', () => {
  it('mean one thing each', () => {
    const places = new Map<string, string[]>();
    for (const file of code) {
      const exported =
        /^export (?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
      const own = new Set(Array.from(read(file).matchAll(exported), ([, name]) => name));
      for (const name of own) places.set(name, [...(places.get(name) ?? []), file]);
    }
    expect(places.size).toBeGreaterThan(1000);
    const several = [...places].filter(([, files]) => files.length > 1);
    expect(several.map(([name, files]) => `${name}: ${files.join(', ')}`)).toEqual([]);
  });
});
