import { readFileSync } from 'node:fs';
import { DataError } from '../data-error.ts';

/** The JSON of a file, or a DataError that says it is none. */
export function readJson(path: string): unknown {
  const text = readFileSync(path, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new DataError('the file is not JSON', { file: path }, 'check that it is the right file');
  }
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
