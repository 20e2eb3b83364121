import { streamMessages } from './event-stream.ts';
import type { AuditEntry } from './messages.ts';
import { NetworkFailure } from './network-failure.ts';
import { Refusal } from './refusal.ts';
import { Interruption, type Transport } from './transport.ts';
import { mismatch } from './verified.ts';

/** Longest silence of a stream before it is reconnected: three missing heartbeats. */
const SILENCE = 45_000;

/** Entries of a log from a position onwards, each once and in order; connects again if a connection is lost. */
export async function* watchEvents(
  transport: Transport,
  path: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<AuditEntry> {
  let next = Math.max(1, from);
  let attempt = 1;
  let started = Date.now();
  while (!signal.aborted) {
    const cut = new AbortController();
    const abort = () => cut.abort();
    signal.addEventListener('abort', abort);
    let timer = setTimeout(abort, SILENCE);
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(abort, SILENCE);
      attempt = 1;
      started = Date.now();
    };
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(next > 1 ? { 'last-event-id': String(next - 1) } : {}),
      };
      const response = await transport.open(
        { method: 'GET', path, headers, repeat: 'always' },
        cut.signal,
      );
      for await (const message of streamMessages(response.body!, alive)) {
        const entry: AuditEntry = JSON.parse(message.data);
        if (entry.position < next) continue;
        if (entry.position > next) throw mismatch('entries of the log are missing');
        next++;
        yield entry;
      }
    } catch (failure) {
      if (signal.aborted) return;
      if (failure instanceof Refusal || failure instanceof NetworkFailure) throw failure;
      if (failure instanceof Interruption) {
        await transport.pause(failure, attempt++, started).catch((reason) => {
          if (!signal.aborted) throw reason;
        });
        continue;
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      cut.abort();
    }
    if (!signal.aborted) await transport.pause(lostStream(), attempt++, started);
  }
}

function lostStream(): Interruption {
  const remedy = 'check that the coordinator runs, then try again';
  return new Interruption(new NetworkFailure('the connection for events was lost', remedy), true);
}
