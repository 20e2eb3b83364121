import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answerOf } from '../src/coordinator/http/http-answer.ts';
import { listen } from '../src/node/server/http-server.ts';
import { temporaryFolder } from './cli.ts';
import { hasOpenssl, madeCertificate } from './made-certificate.ts';

if (!hasOpenssl) console.warn('silent connections are not tried over TLS: install openssl');

describe.each(['http', 'https'])('a client that connects by %s and says nothing', (scheme) => {
  it.skipIf(scheme === 'https' && !hasOpenssl)('does not keep a server from its end', async () => {
    const valid = ['20240101000000Z', '20990101000000Z'] as const;
    const { server, address, stop } = await listen(
      { answer: async () => answerOf('') },
      {
        ...{ host: '127.0.0.1', port: 0, addressFrom: 'socket', secure: scheme === 'https' },
        stopping: new AbortController().signal,
        ...(scheme === 'https'
          ? { tls: madeCertificate(temporaryFolder(), 'IP:127.0.0.1', valid) }
          : {}),
      },
    );
    const arrived = once(server, 'connection');
    const silent = connect(Number(new URL(address).port), '127.0.0.1');
    onTestFinished(() => void silent.destroy());
    silent.on('error', () => {}).resume();
    const closed = once(silent, 'close');
    await arrived;
    await stop(100);
    await closed;
    expect(server.listening).toBe(false);
  });
});
