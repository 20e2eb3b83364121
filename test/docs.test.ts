import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { builtPages } from '../docs/build.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];
const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('pages made from the code', () => {
  it.each(Object.keys(builtPages))('docs/%s is as npm run docs writes it', async (file) => {
    expect(read(`docs/${file}`) === (await builtPages[file]()), 'run npm run docs').toBe(true);
  });

  it('have a comment for every export', () => {
    const bare = read('docs/api.md').matchAll(/^### (.*)\n\n```ts$/gm);
    expect(Array.from(bare, ([, name]) => name)).toEqual([]);
  });

  it('show examples/fit-files.ts as it is', () => {
    expect(read('docs/api.md')).toContain(`\`\`\`ts\n${read('examples/fit-files.ts')}\`\`\``);
  });
});

/** Files and folders of the repository, as paths from its root. */
const known = ['src', 'web', 'test', 'docs', 'examples', 'experiments', 'bench', 'kernels'].flatMap(
  (folder) => [
    folder,
    ...readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(folder, file),
    ),
  ],
);
const names = new Set(known.map((path) => basename(path)));
/** Where a path in the documents may start. */
const starts = ['', 'src/', 'docs/'];
/** What is built or written by a command, so it is not in the repository; and a type of content. */
const elsewhere = /^(dist|paper-results|test\/screenshots)\/|^text\/event-stream$/;

/** Whether a path is of this repository; stars stand for anything. */
function exists(path: string): boolean {
  const plain = path.replace(/\/$/, '');
  if (!plain.includes('/')) return names.has(plain) || existsSync(join(root, plain));
  if (!plain.includes('*')) return starts.some((start) => existsSync(join(root, start, plain)));
  const pattern = plain.split('*').map((part) => part.replace(/[.]/g, '\\.'));
  const whole = new RegExp(`^(${starts.join('|')})${pattern.join('[^/]*')}$`);
  return known.some((file) => whole.test(file));
}

/** Paths between backticks: a TypeScript file, or any path in a folder of this repository. */
function pathsIn(text: string): string[] {
  const folders = new Set(known.flatMap((path) => [path.split('/')[0], path.split('/')[1]]));
  return Array.from(
    text.replace(/^```.*?^```/gms, '').matchAll(/`([\w.*/-]+)`/g),
    ([, path]) => path,
  )
    .filter(
      (path) => /\w\.tsx?$/.test(path) || (path.includes('/') && folders.has(path.split('/')[0])),
    )
    .filter((path) => !path.includes('NAME') && !elsewhere.test(path));
}

/** The anchors that headings make, as GitHub writes them. */
function anchorsOf(text: string): string[] {
  const headings = text.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.*)$/gm);
  return Array.from(headings, ([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(documents)('%s', (file) => {
  it('names only paths that exist', () => {
    expect(pathsIn(read(file)).filter((path) => !exists(path))).toEqual([]);
  });

  it('links only to what exists', () => {
    const links = Array.from(read(file).matchAll(/\]\((?!https?:)([^)\s]+)\)/g), ([, to]) => to);
    const broken = links.filter((link) => {
      const [path, anchor] = link.split('#');
      const target = path === '' ? file : normalize(join(dirname(file), path));
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

it('paths that do not exist are found', () => {
  const text =
    'see `node/fit.ts`, `src/nowhere/`, `src/solve/none*.ts`, and `src/solve/denoise*.ts`';
  expect(pathsIn(text).filter((path) => !exists(path))).toEqual([
    'node/fit.ts',
    'src/nowhere/',
    'src/solve/none*.ts',
  ]);
});
