import { parentPort } from 'node:worker_threads';
import { concludeHere } from '../../coordinator/conclude-here.ts';
import { useNativeFactor } from '../compute/native-factor.ts';
import { useNativeHash } from '../compute/native-hash.ts';
import type { ThreadAnswer, ThreadWork } from './conclude-thread.ts';

/** The thread that resolves studies one after the other. */
const port = parentPort;
if (port === null) throw new Error('conclude-worker.ts runs only as a worker');

useNativeHash();
useNativeFactor();
port.on('message', async ({ id, work }: ThreadWork) => {
  const send = (message: ThreadAnswer) => port.postMessage(message);
  try {
    send({ id, result: await concludeHere(work) });
  } catch (failure) {
    send({ id, crash: failure instanceof Error ? failure.message : String(failure) });
  }
});
