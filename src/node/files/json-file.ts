import { readFileSync, statSync } from 'node:fs';
import { DataError } from '../../data-error.ts';
import { agreement } from '../../federate.ts';
import type { Option } from '../../option.ts';
import type { Codebook } from '../../study/codebook.ts';
import { isPlainCodebook } from '../../study/plain-codebook.ts';
import type { Study } from '../../study/study.ts';
import { boundedJson } from '../../text/bounded-json.ts';
import { UsageError } from '../../usage-error.ts';

/** The JSON of a file; throws a DataError if it is not JSON. */
export function readJson(path: string): unknown {
  const text = readText(path);
  try {
    return boundedJson(text);
  } catch {
    throw new DataError('the file is not JSON', { file: path }, 'check that it is the right file');
  }
}

/** Largest file that is read as JSON: the covariance of 3,000 coefficients. */
const LARGEST = 256 * 2 ** 20;

/** The text of a file; throws a DataError if it is too large to be what it should be. */
function readText(path: string): string {
  const { size } = statSync(path);
  if (size <= LARGEST) return readFileSync(path, 'utf8');
  throw new DataError(
    `the file has ${megabytes(size)} MB; at most ${megabytes(LARGEST)} MB are read`,
    { file: path },
    'check that it is the right file',
  );
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A study from a JSON file; its keys, its formula and its ranges are checked. */
export async function readStudy(path: string): Promise<Study> {
  const json = parsedJson(path, 'docs/protocol.md shows what a study looks like');
  const { parseStudy } = await import('../../fusion/study-schema.ts'); // zod takes a tenth of a second to load
  const study = parseStudy(json);
  agreement(study);
  return study;
}

/** A codebook from a JSON file. */
export async function readCodebook(path: string): Promise<Codebook> {
  const json = parsedJson(path, 'save the codebook of a fit to see its form', { name: 'codebook' });
  if (isPlainCodebook(json)) return json;
  const { parseCodebook } = await import('../../study/schema.ts'); // zod takes a tenth of a second to load
  return parseCodebook(json);
}

function parsedJson(path: string, remedy: string, option?: Option): unknown {
  const text = readText(path);
  try {
    return boundedJson(text);
  } catch {
    throw new UsageError(`${path} is not JSON`, remedy, option);
  }
}
