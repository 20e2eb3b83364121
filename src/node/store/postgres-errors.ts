import { Refusal } from '../../protocol/refusal.ts';

const CONNECTION_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'ENOENT',
  'EAI_AGAIN',
];

/** Serialization failure, deadlock, lock timeout: the same work may succeed next time. */
const RETRIED_STATES = ['40001', '40P01', '55P03'];

/** Problem and remedy of states in which the server answers, but cannot do the work now. */
const namedStates: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  '53100': [
    'the disk of PostgreSQL is full',
    'make room on the disk of the database, then try again',
  ],
  '55P03': [
    'another session of the database holds a lock that this needs',
    'try again in a moment; if it stays, find the session in pg_locks: the database must be the coordinator’s own',
  ],
  '25006': [
    'the database allows only reading',
    'give the address of the server that allows writing',
  ],
};

/** Whether the connection is lost, or the server is stopping, starting, full or read-only. */
export function isLost(error: unknown): boolean {
  if (error instanceof Refusal) return error.code === 'store-unavailable';
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') {
    return CONNECTION_CODES.includes(code) || /^(08|57P|53|25006)/.test(code);
  }
  return /connection terminated|connection ended|not queryable|timeout exceeded|timeout expired|read timeout/i.test(
    error.message,
  );
}

/** Whether the same work may succeed when it is tried again. */
export function isTransient(error: unknown): boolean {
  return isLost(error) || RETRIED_STATES.includes((error as { code?: string })?.code ?? '');
}

/** The refusal if the server does not answer. It does not quote the address, which may contain a password. */
export function unreachable(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { code } = error as { code?: unknown };
  const named = typeof code === 'string' ? namedStates[code] : undefined;
  if (named !== undefined) return new Refusal('store-unavailable', ...named);
  return new Refusal(
    'store-unavailable',
    `PostgreSQL does not answer${typeof code === 'string' ? ` (${code})` : ''}`,
    'try again in a moment; check whether the server is running, and its address',
    { name: 'database' },
  );
}
