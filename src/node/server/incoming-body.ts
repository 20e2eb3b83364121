import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { BodySource } from '../../coordinator/http/body-source.ts';

/** The body of one of Node's requests; `goAhead` is called before its first byte is asked for, if the client waits for that. */
export function incomingBody(incoming: IncomingMessage, goAhead: () => void): BodySource {
  const chunks: Uint8Array[] = [];
  let state: 'unread' | 'reading' | 'ended' | 'broken' = 'unread';
  let wake = () => {};
  const arrived = (chunk: Uint8Array) => {
    chunks.push(chunk);
    incoming.pause();
    wake();
  };
  const ended = () => finish('ended');
  const broken = () => finish('broken');
  const stop = () => {
    incoming.off('data', arrived);
    incoming.off('end', ended);
    incoming.off('error', broken);
    incoming.off('close', broken);
  };
  const finish = (how: 'ended' | 'broken') => {
    stop();
    state = how;
    wake();
  };
  const begin = () => {
    state = incoming.destroyed ? 'broken' : 'reading';
    if (state === 'broken') return;
    if (awaitsContinue(incoming)) goAhead();
    incoming.on('end', ended);
    incoming.on('error', broken);
    incoming.on('close', broken);
    incoming.on('data', arrived);
  };
  return {
    async next() {
      if (state === 'unread') begin();
      while (chunks.length === 0 && state === 'reading') {
        const waiting = new Promise<void>((resolve) => {
          wake = resolve;
        });
        incoming.resume();
        await waiting;
      }
      const chunk = chunks.shift();
      if (chunk === undefined && state === 'broken') throw new Error('the client has gone');
      return chunk;
    },
    cancel() {
      stop();
      state = 'broken';
    },
    unzip: (file, most) => gunzipSync(file, { maxOutputLength: most }),
  };
}

/** Whether the client waits for a go-ahead before it sends the body, so that a refusal avoids the upload. */
export function awaitsContinue(incoming: IncomingMessage): boolean {
  return incoming.headers.expect?.toLowerCase() === '100-continue';
}
