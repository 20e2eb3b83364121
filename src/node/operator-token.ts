import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from './usage-error.ts';

/** The operator's secret, and the file it is in, if it is in one. */
export interface OperatorToken {
  readonly token?: string;
  readonly file?: string;
  /** Whether it is to become the operator's only token. */
  readonly appoint: boolean;
}

export interface TokenPlaces {
  /** Its text, as from the environment. */
  readonly given?: string;
  /** The file it was said to be in, or is to be written to. */
  readonly file?: string;
  /** The file it is in where nothing was said. */
  readonly usualFile: string;
  readonly hasOperator: () => Promise<boolean>;
  readonly make: () => string;
}

/**
 * Finds the operator's secret, or makes one that only the owner of its file can read. What was
 * said outright is appointed; the usual file only where the store knows no operator yet.
 */
export async function findOperatorToken(places: TokenPlaces): Promise<OperatorToken> {
  const { given, usualFile } = places;
  if (places.file === undefined && given !== undefined) {
    return { token: checked(given, 'the operator token given'), appoint: true };
  }
  const file = places.file ?? usualFile;
  const appoint = places.file !== undefined || !(await places.hasOperator());
  if (existsSync(file)) return { token: checked(readFileSync(file, 'utf8'), file), file, appoint };
  if (!appoint) return { appoint };
  const token = places.make();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  return { token, file, appoint };
}

function checked(text: string, place: string): string {
  const token = text.trim();
  if (/^sfo_[A-Za-z0-9_-]{43}$/.test(token)) return token;
  throw new UsageError(
    `${place} is no operator token`,
    'it is sfo_ and 43 more characters; where there is none, one is made',
    { name: 'operator-token' },
  );
}
