import type { ConnectionOptions } from 'node:tls';
import { FailureError } from '../../failure.ts';

/**
 * Whether a connection to PostgreSQL uses TLS if its address does not say. To another machine it
 * does, and the certificate is checked; on this machine, and over a Unix socket, it does not.
 * Undefined if the address or PGSSLMODE says it.
 */
export function usualTls(
  address: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): ConnectionOptions | false | undefined {
  if (env.PGSSLMODE) return undefined;
  if (!URL.canParse(address)) return {};
  const { hostname, searchParams } = new URL(address);
  if (['sslmode', 'ssl', 'sslnegotiation'].some((name) => searchParams.has(name))) return undefined;
  const given = searchParams.get('host') || decodeURIComponent(hostname);
  const host = (given || env.PGHOST || 'localhost').replace(/^\[(.*)\]$/, '$1');
  const isHere = host === 'localhost' || host === '::1' || /^(127\.|\/)/.test(host);
  return isHere ? false : { host };
}

/** The failure if TLS to the database did not come about; undefined for any other error. */
export function tlsFailure(error: unknown): FailureError | undefined {
  const { code = '', message = '' } = error as { code?: unknown; message?: unknown };
  const remedy =
    'set up TLS at the database, or give its certificate authority as sslrootcert=FILE; where the network between is safe, say sslmode=disable in the address';
  if (/does not support SSL/.test(String(message))) {
    const problem =
      'the database does not offer TLS, which the address asks for or another machine needs';
    return new FailureError('network', { problem, remedy });
  }
  if (/CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_/.test(String(code))) {
    const problem = `the certificate of the database cannot be trusted (${code})`;
    return new FailureError('network', { problem, remedy });
  }
  return undefined;
}
