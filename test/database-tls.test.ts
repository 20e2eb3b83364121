import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer as httpServer } from 'node:http';
import { createServer as httpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { runSuffice, temporaryFolder } from './cli.ts';

const folder = temporaryFolder();
const PASSWORD = 'never to be sent';
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** A key and a certificate that nobody has signed. */
function certificate() {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  if (!existsSync(cert)) {
    const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes'];
    const files = ['-keyout', key, '-out', cert];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...subject, ...files], { stdio: 'ignore' });
  }
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function refused(address: string): Promise<string> {
  const { code, stdout, stderr } = await runSuffice(['fit', 'y ~ x', address], {
    env: { SUFFICE_DB_PASSWORD: PASSWORD },
  });
  expect([code, stdout]).toEqual([4, '']);
  expect(stderr).not.toContain(PASSWORD);
  return stderr;
}

describe.skipIf(!hasOpenssl)('a certificate that nobody has signed', () => {
  it('ends the connection to PostgreSQL before a password is sent', async () => {
    const heard: Buffer[] = [];
    const port = await listening(
      createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => {
          socket.write('S');
          const secure = new TLSSocket(socket, { isServer: true, ...certificate() });
          secure.on('error', () => {});
          secure.on('data', (bytes) => heard.push(bytes));
        });
      }),
    );
    const said = await refused(`postgres://r@127.0.0.1:${port}/d?sslmode=verify-full#t`);
    expect(said).toContain('the certificate of the database cannot be trusted');
    expect(Buffer.concat(heard).length).toBe(0);
  });

  it('ends the connection to ClickHouse before a password is sent', async () => {
    let requests = 0;
    const port = await listening(
      httpsServer(certificate(), (_, response) => {
        requests++;
        response.end();
      }),
    );
    const said = await refused(`clickhouse://r@127.0.0.1:${port}/d?secure=1#t`);
    expect(said).toContain('the certificate of the database cannot be trusted');
    expect(requests).toBe(0);
  });
});

it('ClickHouse without TLS is refused where the address asks for it', async () => {
  let requests = 0;
  const port = await listening(
    httpServer((_, response) => {
      requests++;
      response.end();
    }),
  );
  const said = await refused(`clickhouse://r@127.0.0.1:${port}/d?secure=1#t`);
  expect(said).toContain('does not offer TLS on this port');
  expect(requests).toBe(0);
});

it('PostgreSQL without TLS is refused where the address asks for it, before a password is sent', async () => {
  const heard: Buffer[] = [];
  const port = await listening(
    createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        heard.push(bytes);
        if (heard.length === 1) socket.write('N');
      });
    }),
  );
  const said = await refused(`postgres://r@127.0.0.1:${port}/d?sslmode=require#t`);
  expect(said).toContain('the database does not offer TLS');
  // The request for TLS, and nothing after it.
  expect(Buffer.concat(heard).length).toBe(8);
});
