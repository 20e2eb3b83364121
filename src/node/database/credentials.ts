import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../usage-error.ts';

/** Where passwords come from: a file, or the environment. Never an address, a flag or a question. */
export interface Credentials {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A file with the password alone. */
  readonly passwordFile?: string;
}

let known: Credentials = { env: process.env };

/** Sets where passwords of databases come from, for this process. */
export function useCredentials(credentials: Credentials): void {
  known = credentials;
}

/** The environment that databases are opened in. */
export function databaseEnvironment(): Credentials['env'] {
  return known.env;
}

/** The server and the role that a password is for. */
export interface Login {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** The stated password; undefined where none is stated. */
export function statedPassword(): string | undefined {
  const { env, passwordFile } = known;
  if (passwordFile !== undefined) return passwordIn(passwordFile);
  return env.SUFFICE_DB_PASSWORD || undefined;
}

/** The password of a PostgreSQL role: stated, PGPASSWORD, or a line of the password file (PostgreSQL manual, "The Password File"). */
export function postgresPassword(login: Login): string | undefined {
  const { env } = known;
  const file = env.PGPASSFILE || join(env.HOME || homedir(), '.pgpass');
  return statedPassword() ?? (env.PGPASSWORD || undefined) ?? passwordLine(file, login);
}

function passwordIn(path: string): string {
  let text: string;
  try {
    refuseOpenToOthers(path);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `the password file ${path} cannot be read`,
      'give a file with the password alone, which only you can read',
    );
  }
  return text.replace(/\r?\n$/, '');
}

function refuseOpenToOthers(path: string): void {
  if (!isOpenToOthers(path)) return;
  throw new UsageError(`others can read the password file ${path}`, `chmod 600 ${path}`);
}

function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0;
}

/** As psql: a file that others can read is not used, and the first line that fits decides. */
function passwordLine(path: string, { host, port, database, user }: Login): string | undefined {
  const wanted = [host, String(port), database, user];
  let text: string;
  try {
    if (isOpenToOthers(path)) return undefined;
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    const fits = wanted.every((one, k) => fields[k] === '*' || fields[k] === one);
    if (fields.length >= 5 && fits) return fields[4];
  }
  return undefined;
}

/** The fields between colons; a backslash keeps the next character. */
function fieldsOf(line: string): string[] {
  const fields = [''];
  for (let at = 0; at < line.length; at++) {
    if (line[at] === ':') fields.push('');
    else fields.push(fields.pop()! + (line[at] === '\\' ? (line[++at] ?? '') : line[at]));
  }
  return fields;
}
