import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, freemem, totalmem } from 'node:os';
import { canFuse, createKernels } from '../../numeric/kernels.ts';
import { byteText } from '../../text/number-text.ts';
import { chooseBlas, WORTH_BLAS } from '../compute/choose-blas.ts';
import { packageRoot } from '../files/package-files.ts';
import { type CheckResult, ok, problem, warning } from './check-result.ts';

const LEAST_NODE = 20;
/** A coordinator of small studies needs about 150 MB. */
const LEAST_MEMORY = 512e6;

/** Packages that are loaded if they are there, and for what. */
const optional: Readonly<Record<string, string>> = {
  koffi: 'calls the system’s BLAS',
  '@duckdb/node-api': 'reads files of DuckDB',
  mysql2: 'reads tables of MySQL and MariaDB',
};

/** Checks the program and the machine: nothing here depends on a store. */
export async function checkMachine(nodeVersion: string): Promise<readonly CheckResult[]> {
  return [
    nodeResult(nodeVersion),
    memoryResult(),
    kernelResult(),
    await blasResult(),
    pagesResult(),
    packagesResult(),
  ];
}

function nodeResult(version: string): CheckResult {
  if (Number.parseInt(version, 10) >= LEAST_NODE) return ok('node', `version ${version}`);
  const text = `version ${version} is too old`;
  return problem('node', text, `install Node ${LEAST_NODE} or later`);
}

function memoryResult(): CheckResult {
  const limit = process.constrainedMemory?.() ?? 0;
  const memory = limit > 0 && limit < totalmem() ? limit : totalmem();
  const cores = availableParallelism();
  const text = `${byteText(memory)} of memory, ${byteText(Math.min(freemem(), memory))} free; ${cores} ${cores === 1 ? 'core' : 'cores'}`;
  if (memory >= LEAST_MEMORY) return ok('machine', text);
  return warning('machine', text, `give it ${byteText(LEAST_MEMORY)} or more`);
}

function kernelResult(): CheckResult {
  try {
    createKernels();
  } catch {
    const remedy = 'use Node 20 or later on a 64-bit processor, without flags that forbid WASM';
    return problem('kernels', 'WASM with SIMD does not run here', remedy);
  }
  return ok('kernels', canFuse() ? 'WASM, SIMD128 and fused multiply-add' : 'WASM, SIMD128');
}

async function blasResult(): Promise<CheckResult> {
  const { blas, why } = await chooseBlas();
  const use =
    blas === undefined ? 'the own kernels are used' : `used from ${WORTH_BLAS} columns on`;
  return ok('BLAS', `${why}; ${use}`);
}

function pagesResult(): CheckResult {
  if (existsSync(new URL('dist/web/index.html', packageRoot))) return ok('pages', 'present');
  const remedy = 'build the program, or install the package again';
  return warning('pages', 'the pages for browsers are not there', remedy);
}

function packagesResult(): CheckResult {
  const { resolve } = createRequire(packageRoot);
  const isThere = (name: string) => {
    try {
      return resolve(name) !== '';
    } catch {
      return false;
    }
  };
  const names = Object.keys(optional);
  const there = names.filter(isThere);
  const absent = names.filter((name) => !there.includes(name));
  const lack = absent.map((name) => `${name} (${optional[name]}) is not installed`);
  return ok('packages', [there.join(', '), ...lack].filter((text) => text !== '').join('; '));
}
