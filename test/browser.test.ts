import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeTabs, workerBrowser } from './browser.ts';
import { fitInBrowser } from './browser-fit.ts';
import { enduring } from './endurance.ts';

/** The library and the fit of `browser-fit.ts` as one script, as an application would bundle it. */
async function bundle(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: false,
      rollupOptions: { output: { inlineDynamicImports: true } },
      lib: {
        entry: fileURLToPath(new URL('browser-fit.ts', import.meta.url)),
        formats: ['es'],
        fileName: 'fit',
      },
    },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (!('output' in output)) throw new Error('vite gave no bundle');
  return output.output[0].code;
}

const PAGE = '<!doctype html><title>suffice</title>';
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'";

describe('in a real browser', () => {
  let browser: Browser | undefined;
  let address = '';
  const server = createServer();

  beforeAll(async () => {
    browser = await workerBrowser();
    if (browser === undefined) return;
    const script = await bundle();
    const worker = `import { fitInBrowser } from '/fit.js';\npostMessage(fitInBrowser());\n`;
    server.on('request', ({ url }, response) => {
      const body = url === '/fit.js' ? script : url === '/worker.js' ? worker : PAGE;
      const type = body === PAGE ? 'text/html' : 'text/javascript';
      response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY });
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    await closeTabs();
    server.close();
  });

  it('gives the reports of Node, with every feature map, of tables and of images, and a trained network, bit for bit, in a worker under a strict policy', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const page = await browser.newPage();
    await page.goto(address);
    const inWorker = await page.evaluate(
      'new Promise((resolve) => { new Worker("/worker.js", { type: "module" }).onmessage = (e) => resolve(e.data) })',
    );
    const here = fitInBrowser();
    expect(inWorker).toEqual(here);
    // Pages of ours do it in a worker; `npm run endure` has the page itself, too.
    if (!enduring) return;
    const onPage = await page.evaluate('import("/fit.js").then((m) => m.fitInBrowser())');
    expect(onPage).toEqual(here);
  });
});
