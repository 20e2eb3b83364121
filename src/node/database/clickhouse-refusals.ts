import { DataError } from '../../data-error.ts';
import { FailureError } from '../../failure.ts';
import { clickhouseLimits } from '../../sql/clickhouse-dialect.ts';
import { UsageError } from '../../usage-error.ts';

/** A setting, or a query, that a user who only reads may not have. */
export const READONLY = 164;
const TOO_BIG_TREE = 168;

/** Whether a server says that a query is longer than it takes. */
export function isTooLong(message: string): boolean {
  return (
    codeIn(message) === TOO_BIG_TREE ||
    /Max query size exceeded|Query tree is too big/i.test(message)
  );
}

function tooLong(characters: number, address: string): FailureError {
  const limits = Object.entries(clickhouseLimits(characters)).map(
    ([name, value]) => `${name} = ${value}`,
  );
  return new FailureError('policy', {
    problem: 'the query is longer than the server takes from this user',
    remedy: `ask the administrator for a profile with ${limits.join(', ')}; or let the rows be read instead`,
    place: { file: address },
    option: { name: 'pushdown', value: 'never' },
  });
}

/** The number of the error that a server names. */
export function codeIn(message: string): number {
  return Number(/Code: (\d+)/.exec(message)?.[1] ?? 0);
}

/** Problem and remedy by the server's code; other messages may contain cells, so they are not shown. */
export function clickhouseRefusal(
  message: string,
  address: string,
  characters: number,
): FailureError {
  if (isTooLong(message)) return tooLong(characters, address);
  const code = codeIn(message);
  const place = { file: address };
  if ([192, 193, 194, 516].includes(code)) {
    return new FailureError('policy', {
      problem: 'the database does not accept the user or the password',
      remedy: 'give the password in a file, or in SUFFICE_DB_PASSWORD',
      place,
      option: { name: 'password-file' },
    });
  }
  if ([291, 497].includes(code)) {
    return new FailureError('policy', {
      problem: 'the user has no permission to read these rows',
      remedy: 'ask the administrator: GRANT SELECT on the table or view',
      place,
    });
  }
  if (code === READONLY) {
    return new FailureError('policy', {
      problem: 'the query would write, and it may only read',
      remedy: 'give a select that only reads',
      place,
    });
  }
  if (code === 81)
    return new DataError('no such database on this server', place, 'check the name before #');
  if ([47, 46, 60, 62].includes(code)) {
    const [line] = message.split('\n');
    return new UsageError(
      `${address}: ${line!.slice(0, 300)}`,
      'correct the table or the select after #',
    );
  }
  if (code === 159) {
    return new FailureError('network', {
      problem: 'the server ended the query: it took too long',
      remedy: 'ask for a longer max_execution_time for this user, or read fewer rows',
      place,
    });
  }
  return new DataError(
    `ClickHouse could not read the rows (code ${code})`,
    place,
    'run the select in clickhouse-client to see why; its message may contain cells, so it is not shown here',
  );
}

/** The refusal where no server answers; undefined where one did. */
export function clickhouseUnreachable(error: unknown, address: string): FailureError | undefined {
  const { code } = ((error as { cause?: unknown }).cause ?? {}) as { code?: unknown };
  if (/CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_|ERR_SSL|EPROTO/.test(String(code))) {
    const isTls = !/ERR_SSL|EPROTO/.test(String(code));
    return new FailureError('network', {
      problem: isTls
        ? `the certificate of the database cannot be trusted (${code})`
        : 'the database does not offer TLS on this port',
      remedy: isTls
        ? 'let the process know its certificate authority by NODE_EXTRA_CA_CERTS=FILE'
        : 'give the port for HTTPS (8443); where the network between is safe, leave out secure=1',
      place: { file: address },
    });
  }
  const isUnknown = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
  if (!isUnknown && code !== 'ECONNREFUSED') return undefined;
  return new FailureError('network', {
    problem: isUnknown ? 'no such host' : 'no ClickHouse answers there',
    remedy: 'check host and port of the HTTP interface (8123), and whether the server runs',
    place: { file: address },
  });
}
