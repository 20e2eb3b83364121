import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import { compiledExtension, runCompiled } from '../src/node/files/compiled-script.ts';
import { scratch } from './scratch.ts';

enableRelaxedSimd();

const folder = mkdtempSync(join(scratch, 'suffice-script-'));
afterAll(() => rmSync(folder, { recursive: true }));

const text =
  '(function(exports,require,module){exports.sum=require("node:path").sep+[1,2].join("+")})';
const made = new Script(text).createCachedData();

describe('a compiled script', () => {
  it.each([
    ['as it was compiled', made],
    ['not compiled by this Node', undefined],
    ['compiled to something that V8 does not know', Buffer.from(made).fill(7, 0, 32)],
    ['compiled to half a file', made.subarray(0, made.length / 2)],
  ])('gives the same: %s', (_, compiled) => {
    const module = new Module('');
    module.filename = join(mkdtempSync(join(folder, 'case-')), 'sum.js');
    const file = module.filename.replace(/js$/, 'script');
    writeFileSync(file, text);
    if (compiled !== undefined) writeFileSync(file + compiledExtension, compiled);
    runCompiled(module, createRequire(import.meta.url));
    expect(module.exports).toEqual({ sum: '/1+2' });
  });
});

describe('the build', () => {
  it('has code of every script that V8 takes', () => {
    const built = fileURLToPath(new URL('../dist/command/', import.meta.url));
    const relaxedSimd = new URL('../dist/node/compute/relaxed-simd.js', import.meta.url).href;
    const scripts = readdirSync(built).filter((name) => name.endsWith('.script'));
    // In a process as a person starts it: V8 takes code only with the switches that it was made with.
    const program = `
      import { readFileSync } from 'node:fs';
      import { Script } from 'node:vm';
      import { enableRelaxedSimd } from ${JSON.stringify(relaxedSimd)};
      enableRelaxedSimd();
      const [, ...paths] = process.argv;
      const taken = paths.map((path) => {
        const cachedData = readFileSync(path + '${compiledExtension}');
        return new Script(readFileSync(path, 'latin1'), { cachedData }).cachedDataRejected;
      });
      console.log(JSON.stringify(taken));
    `;
    const paths = scripts.map((name) => join(built, name));
    const taken = JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', program, ...paths], {
        encoding: 'utf8',
      }),
    );
    expect(taken).toEqual(Array(6).fill(false));
  });
});
