import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Coordinator } from '../src/coordinator/coordinator.ts';
import { type App, createApp } from '../src/coordinator/http/app.ts';
import { readStaticPages } from '../src/node/server/pages.ts';
import { temporaryFolder } from './cli.ts';

const html = '<!doctype html><title>Suffice</title><script type="module" src="./assets/a.js">';
const script = `export const words = ${JSON.stringify('suffice '.repeat(500))};\n`;

const paths = ['/', '/create', '/study', '/result', '/predict', '/join', '/lab'];

const assets: readonly [name: string, type: string, kept: 'forever' | 'checked'][] = [
  ['index-B0Jo6kco.js', 'text/javascript; charset=utf-8', 'forever'],
  ['index-CL_5-HPN.css', 'text/css; charset=utf-8', 'forever'],
  ['icon-BQiqhm86.svg', 'image/svg+xml', 'forever'],
  ['kernels-CULnVUPY.wasm', 'application/wasm', 'forever'],
  ['text-Cmq4rVuy.woff2', 'font/woff2', 'forever'],
  ['plot-Db39MV15.png', 'image/png', 'forever'],
  ['levels.json', 'application/json', 'checked'],
];

const never = [
  '/assets/index-B0Jo6kco.js.map',
  '/assets/notes.txt',
  '/assets/folder',
  '/assets/folder/deep-B0Jo6kco.js',
  '/assets/',
  '/assets',
  '/index.html',
  '/secret.js',
  '/assets/secret.js',
  '/join/',
  '/study/x',
  '/assets/constructor',
  '/constructor',
];

function builtFolder(): string {
  const folder = join(temporaryFolder(), 'web');
  mkdirSync(join(folder, 'assets/folder'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), html);
  writeFileSync(join(folder, 'secret.js'), script);
  for (const [name] of assets) writeFileSync(join(folder, 'assets', name), script);
  for (const name of ['index-B0Jo6kco.js.map', 'notes.txt', 'folder/deep-B0Jo6kco.js']) {
    writeFileSync(join(folder, 'assets', name), script);
  }
  return folder;
}

function appOf(folder: string): App {
  return createApp({} as Coordinator, { pages: readStaticPages(folder), rateLimits: 'off' });
}

const ask = (app: App, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  app.fetch(new Request(`http://localhost${path}`, { method, headers }));
const gzip = { 'Accept-Encoding': 'gzip, deflate, br' };

const policy =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; " +
  "img-src 'self'; worker-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'";

describe('the pages', () => {
  const folder = builtFolder();
  const app = appOf(folder);

  it.each(
    paths.flatMap(
      (path) =>
        [
          [path, 'GET'],
          [path, 'HEAD'],
        ] as const,
    ),
  )('are one document at %s, asked by %s, with every header', async (path, method) => {
    const answer = await ask(app, path, {}, method);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      etag: expect.stringMatching(/^W\/"[0-9a-f]{32}"$/),
      vary: 'Accept-Encoding',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(await answer.text()).toBe(method === 'HEAD' ? '' : html);
  });

  it.each(assets)('have %s as %s, kept %s', async (name, type, kept) => {
    const answer = await ask(app, `/assets/${name}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('cache-control')).toBe(
      kept === 'forever' ? 'public, max-age=31536000, immutable' : 'no-cache',
    );
    expect(answer.headers.get('content-security-policy')).toBe(policy);
    expect(await answer.text()).toBe(script);
  });

  it.each(never)('have nothing at %s', async (path) => {
    const answer = await ask(app, path);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('tell a person who is lost, one segment deep, and nobody else', async () => {
    const person = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    for (const path of ['/jion', '/index.html', '/constructor']) {
      const answer = await ask(app, path, person);
      expect([path, answer.status, await answer.text()]).toEqual([path, 404, html]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('content-security-policy')).toBe(policy);
    }
    const others = [
      ask(app, '/join/', person),
      ask(app, '/assets/notes.txt', person),
      ask(app, '/jion', { Accept: 'application/json' }),
      ask(app, '/jion', person, 'POST'),
    ];
    for (const answer of await Promise.all(others)) {
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('application/json');
    }
  });

  it('travel gzipped to whoever takes that, and to nobody else', async () => {
    const [[name], , , , [font]] = assets;
    for (const accepted of ['gzip', 'br, GZIP;q=0.5', 'gzip;q=1.0, identity']) {
      const answer = await ask(app, `/assets/${name}`, { 'Accept-Encoding': accepted });
      expect(answer.headers.get('content-encoding')).toBe('gzip');
      expect(answer.headers.get('vary')).toBe('Accept-Encoding');
      const bytes = new Uint8Array(await answer.arrayBuffer());
      expect(bytes.length).toBeLessThan(script.length / 4);
      expect(gunzipSync(bytes).toString()).toBe(script);
    }
    for (const accepted of ['identity', 'br', 'gzip;q=0', 'gzip; q=0.000', 'gzipped', '']) {
      const answer = await ask(app, `/assets/${name}`, { 'Accept-Encoding': accepted });
      expect([accepted, answer.headers.get('content-encoding')]).toEqual([accepted, null]);
      expect(answer.headers.get('vary')).toBe('Accept-Encoding');
      expect(await answer.text()).toBe(script);
    }
    const packed = await ask(app, `/assets/${font}`, gzip);
    expect([packed.headers.get('content-encoding'), packed.headers.get('vary')]).toEqual([
      null,
      null,
    ]);
  });

  it('are not sent again to whoever has them, however they came', async () => {
    for (const encoding of [{}, gzip]) {
      const tag = (await ask(app, '/join', encoding)).headers.get('etag') ?? '';
      for (const known of [tag, tag.slice(2), `"x", ${tag}`]) {
        const answer = await ask(app, '/study', { ...encoding, 'If-None-Match': known });
        expect(answer.status).toBe(304);
        expect(answer.headers.get('etag')).toBe(tag);
        expect(answer.headers.get('content-encoding')).toBeNull();
        expect(await answer.text()).toBe('');
      }
    }
    expect((await ask(app, '/study', { 'If-None-Match': '"x"' })).status).toBe(200);
  });

  it('are those of the start: what comes into the folder later has no address', async () => {
    const own = builtFolder();
    const early = appOf(own);
    writeFileSync(join(own, 'assets/late-B0Jo6kco.js'), script);
    expect((await ask(early, '/assets/late-B0Jo6kco.js')).status).toBe(404);
    expect((await ask(early, '/')).status).toBe(200);
    rmSync(own, { recursive: true });
    expect(await (await ask(early, '/join', gzip)).arrayBuffer()).toBeTruthy();
    expect((await ask(early, '/assets/index-B0Jo6kco.js')).status).toBe(404);
  });

  it('are missing where none were built, and the coordinator says what it is', async () => {
    const none = appOf(join(folder, 'nowhere'));
    expect(await (await ask(none, '/')).text()).toContain('This is a Suffice coordinator.');
    expect((await ask(none, '/join')).status).toBe(404);
  });
});
