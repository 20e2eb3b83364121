import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    const scripts = readdirSync(built).filter((name) => name.endsWith('.script'));
    const taken = scripts.map((name) => {
      const cachedData = readFileSync(join(built, name + compiledExtension));
      return new Script(readFileSync(join(built, name), 'latin1'), { cachedData })
        .cachedDataRejected;
    });
    expect(taken).toEqual(Array(6).fill(false));
  });
});
