import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../../usage-error.ts';

/** The operator's secret, and its file, if it has one. */
export interface OperatorToken {
  readonly token?: string;
  readonly file?: string;
  /** Whether it becomes the operator's only token. */
  readonly appoint: boolean;
}

export interface TokenPlaces {
  /** The token itself, for example from the environment. */
  readonly given?: string;
  /** The file that was named on the command line. */
  readonly file?: string;
  /** The default file. */
  readonly usualFile: string;
  readonly hasOperator: () => Promise<boolean>;
  readonly make: () => string;
}

/**
 * Finds the operator's secret, or creates one in a file that only its owner can read. A token that
 * was given explicitly replaces the store's; the default file only if the store has no operator.
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
  writeToken(file, token);
  return { token, file, appoint };
}

/**
 * Writes a token to a new file that only its owner can read. The file is whole when it gets its name, and durable before
 * the store knows the hash.
 */
export function writeToken(file: string, token: string): void {
  const draft = `${file}.${process.pid}.draft`;
  const handle = openSync(draft, 'w', 0o600);
  try {
    writeSync(handle, `${token}\n`);
    fsyncSync(handle);
    linkSync(draft, file);
  } catch (failure) {
    const { code } = failure as NodeJS.ErrnoException;
    if (code === 'EEXIST' || existsSync(file) || !isWithoutLinks(code)) throw failure;
    renameSync(draft, file);
  } finally {
    closeSync(handle);
    rmSync(draft, { force: true });
  }
}

/** Whether a file system has no hard links. */
function isWithoutLinks(code: string | undefined): boolean {
  return ['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(code ?? '');
}

function checked(text: string, place: string): string {
  const token = text.trim();
  if (/^sfo_[A-Za-z0-9_-]{43}$/.test(token)) return token;
  throw new UsageError(
    `${place} is not an operator token`,
    'a token is sfo_ and 43 more characters; without one, a new token is made',
    { name: 'operator-token' },
  );
}
