import type { ByteReader } from '../../rows/files.ts';
import type { Host } from '../../rows/host.ts';
import { ReadingCancelled, type Thread } from '../../rows/pool.ts';
import { type FromThread, serveJob } from '../../rows/serve-jobs.ts';
import { nodeHost } from './host.ts';

/** Bytes between two looks at signals and messages: a few hundredths of a second. */
const TURN_BYTES = 2 ** 22;

/** The calling thread as a thread of its own pool: it reads while the others start, and one heap fewer is in memory. */
export function threadHere(): Thread {
  let hear: ((message: FromThread) => void) | undefined;
  let ended = false;
  const host: Host = { ...nodeHost, open: async (file) => inTurns(await nodeHost.open(file)) };

  function inTurns(reader: ByteReader): ByteReader {
    let bytes = 0;
    return {
      ...reader,
      read(space, position) {
        bytes += space.length;
        if (bytes < TURN_BYTES) return reader.read(space, position);
        bytes = 0;
        return new Promise((resolve, reject) => {
          setImmediate(() => {
            if (ended) reject(new ReadingCancelled());
            else resolve(reader.read(space, position));
          });
        });
      },
    };
  }

  return {
    post(job) {
      // Threads that are started in the same turn get their jobs first.
      setImmediate(() => {
        if (!ended) void serveJob(job, host, (message) => hear?.(message));
      });
    },
    listen(receive) {
      hear = receive;
      return () => {
        hear = undefined;
      };
    },
    terminate() {
      ended = true;
    },
  };
}
