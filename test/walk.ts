/**
 * The way of a row: runs a fit, a site's join and a join in a browser with every function instrumented, and prints the files
 * entered, in the order of their first entry. `npx tsx test/walk.ts [folder of a checkout]`; the coordinator of the checkout must be built.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { build, type Plugin } from 'vite';
import { launchBrowser } from './browser.ts';

const root = resolve(process.argv[2] ?? '.');
const folder = mkdtempSync(join(tmpdir(), 'suffice-walk-'));
const log = join(folder, 'entered.txt');
const penguins = ['biscoe', 'dream', 'torgersen'].map((island) =>
  join(root, 'examples/penguins', `${island}.csv`),
);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: Node | readonly Node[];
}

/** Puts a call of `__enter` with the file's name at the start of every function. */
const instrumented: Plugin = {
  name: 'instrumented',
  enforce: 'post',
  transform(code, id) {
    const file = relative(root, id.split('?')[0]);
    if (!/^(src|web)\/.*\.tsx?$/.test(file) || file.endsWith('wasm.ts')) return null;
    const inserts: (readonly [at: number, text: string])[] = [];
    const enter = `globalThis.__enter?.(${JSON.stringify(file)})`;
    visit(this.parse(code) as unknown as Node, (node) => {
      const isFunction = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(
        node.type,
      );
      const body = node.body as Node | undefined;
      if (!isFunction || body === undefined) return;
      if (body.type === 'BlockStatement') inserts.push([body.start + 1, `${enter};`]);
      else inserts.push([body.start, `(${enter},(`], [body.end, '))']);
    });
    let text = code;
    for (const [at, insert] of inserts.sort(([a], [b]) => b - a)) {
      text = text.slice(0, at) + insert + text.slice(at);
    }
    return { code: text, map: null };
  },
};

function visit(value: unknown, each: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, each);
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value && 'start' in value) each(value as Node);
    for (const inner of Object.values(value)) visit(inner, each);
  }
}

/** The command, which appends each file to the log when it enters it first, in whatever thread. */
async function buildCommand(): Promise<string> {
  const moved = existsSync(join(root, 'src/cli/main.ts'));
  const source = (now: string, before: string) => join(root, 'src', moved ? now : before);
  // Two folders below the package's, so that it finds its files.
  const outDir = join(root, '.cache', 'walk-command');
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [instrumented],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      ssr: true,
      rolldownOptions: {
        input: {
          main: source('cli/main.ts', 'node/cli/main.ts'),
          worker: source('node/compute/worker.ts', 'node/worker.ts'),
          'check-worker': join(root, 'src/node/server/check-worker.ts'),
          'conclude-worker': source('node/server/conclude-worker.ts', 'node/conclude-worker.ts'),
        },
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          banner: `import { appendFileSync as __append } from 'node:fs';
            globalThis.__enter ??= ((seen) => (file) => {
              if (!seen.has(file)) { seen.add(file); __append(process.env.WALK, file + '\\n'); }
            })(new Set());`,
        },
      },
    },
  });
  return join(outDir, 'main.js');
}

async function buildPages(): Promise<string> {
  const outDir = join(folder, 'web');
  const banner = `globalThis.__enter ??= ((seen) => (file) => {
    if (!seen.has(file)) { seen.add(file); console.log('entered ' + file); }
  })(new Set());`;
  await build({
    root: join(root, 'web'),
    configFile: false,
    logLevel: 'error',
    base: './',
    publicDir: false,
    plugins: [instrumented],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      rolldownOptions: { output: { banner } },
    },
    worker: {
      format: 'es',
      plugins: () => [instrumented],
      rolldownOptions: { output: { banner } },
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  return outDir;
}

function taken(): string[] {
  const files = [...new Set(readFileSync(log, 'utf8').trim().split('\n'))];
  writeFileSync(log, '');
  return files.filter((file) => file !== '');
}

function print(what: string, files: readonly string[]): void {
  console.log(`\n${what}: ${files.length} files`);
  for (const file of files) console.log(`  ${file}`);
}

writeFileSync(log, '');
const command = await buildCommand();
const env = { ...process.env, WALK: log, SUFFICE_HOME: join(folder, 'home') };
const run = (...args: readonly string[]) =>
  execFileSync(process.execPath, [command, ...args], { env, encoding: 'utf8', stdio: 'pipe' });

run('fit', 'body_mass ~ flipper_length + species', ...penguins, '--threads', '1');
print('fit', taken());

const token = `sfo_${randomBytes(32).toString('base64url')}`;
const built = join(root, 'dist/command/main.js');
const server = spawn(
  process.execPath,
  [built, 'serve', '--data', join(folder, 'data'), '--port', '0', '--json'],
  { env: { ...process.env, SUFFICE_ADMIN_TOKEN: token }, stdio: ['ignore', 'pipe', 'ignore'] },
);
try {
  const ready = await new Promise<{ address: string }>((done) => {
    server.stdout.once('data', (chunk) => done(JSON.parse(String(chunk).split('\n')[0])));
  });
  const invitations = join(folder, 'study');
  execFileSync(
    process.execPath,
    [
      ...[built, 'study', 'create', join(root, 'examples/penguins/study.json')],
      ...['--site', 'biscoe', '--site', 'dream', '--out', invitations],
      ...['--coordinator', ready.address],
    ],
    { env: { ...process.env, SUFFICE_ADMIN_TOKEN: token }, stdio: 'pipe' },
  );
  const invitation = (site: string) => join(invitations, `${site}.invitation`);
  run(
    'join',
    invitation('biscoe'),
    penguins[0],
    '--yes',
    '--acknowledge',
    'R5,R6,R7',
    '--threads',
    '1',
  );
  print('join', taken());

  const pages = await buildPages();
  const browser = await launchBrowser();
  if (browser === undefined) throw new Error('no browser');
  const context = await browser.newContext();
  await context.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url());
    const asset = pathname.includes('/assets/') ? pathname.slice(1) : '';
    const path = join(pages, pathname === '/join' ? 'index.html' : asset);
    if (path !== pages && existsSync(path) && !path.endsWith('/')) await route.fulfill({ path });
    else await route.continue();
  });
  const page = await context.newPage();
  const entered: string[] = [];
  page.on('console', (message) => {
    const [word, file] = message.text().split(' ');
    if (word === 'entered' && !entered.includes(file)) entered.push(file);
  });
  page.on('pageerror', (error) => console.error(error));
  await page.goto(readFileSync(invitation('dream'), 'utf8').trim());
  await page.locator('.tag', { hasText: 'Ready for your file' }).waitFor();
  await page.locator('input[type=file]').setInputFiles(penguins[1]);
  const send = page.getByRole('button', { name: /^Send / });
  await send.waitFor();
  for (const box of await page.getByRole('checkbox').all()) await box.check();
  await send.click();
  await page.getByRole('heading', { name: /^(Sent|Received|Done)/ }).waitFor();
  print('browser', entered);
  await browser.close();
} finally {
  server.kill();
}
