import type { HttpRequest } from './http-request.ts';

/** One upload's share of the budget. */
export interface UploadShare {
  /** Waits until the budget allows this number of further bytes. Throws if the client has gone meanwhile. */
  grow(bytes: number): Promise<void>;
}

/**
 * Limits the bytes of all uploads in memory. An upload takes its share as bytes arrive, so a slow
 * one uses little. When the budget is used up, only the oldest upload continues and the others
 * wait, so every upload ends. The uploads of one owner have half of it, and wait for the owner's oldest beyond that; the
 * oldest of all may be larger, and leaves half to the others.
 * Memory is at most the budget and one upload.
 */
export interface UploadBudget {
  /** Runs `work` with a share of the budget; `owner` is the study that is sent to. An upload that waits ends with its request. */
  use<T>(
    request: Pick<HttpRequest, 'signal'>,
    owner: string,
    work: (share: UploadShare) => Promise<T>,
  ): Promise<T>;
  /** Bytes in memory now. */
  readonly held: number;
}

interface Upload {
  readonly owner: string;
  bytes: number;
  /** Set while the upload waits. */
  wake: (() => void) | undefined;
}

export function createUploadBudget(budget: number): UploadBudget {
  /** In order of start. */
  const uploads = new Set<Upload>();
  let held = 0;

  const wakeAll = (): void => {
    for (const upload of uploads) upload.wake?.();
  };
  const mayGrow = (upload: Upload, bytes: number): boolean => {
    const first = uploads.values().next().value;
    if (first === upload) return true;
    // A first upload that is larger than half of the budget leaves the others their half.
    const beyond = Math.max(0, (first?.bytes ?? 0) - budget / 2);
    if (held - beyond + bytes > budget) return false;
    let own = bytes;
    let oldest: Upload | undefined;
    for (const other of uploads) {
      if (other.owner !== upload.owner) continue;
      oldest ??= other;
      own += other.bytes;
    }
    return own <= budget / 2 || oldest === upload;
  };

  const grow = async (
    upload: Upload,
    bytes: number,
    request: Pick<HttpRequest, 'signal'>,
  ): Promise<void> => {
    while (!mayGrow(upload, bytes)) {
      const { signal } = request; // made when it is asked for
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        const done = () => {
          upload.wake = undefined;
          signal.removeEventListener('abort', done);
          resolve();
        };
        upload.wake = done;
        signal.addEventListener('abort', done);
      });
      signal.throwIfAborted();
    }
    upload.bytes += bytes;
    held += bytes;
  };

  return {
    async use(request, owner, work) {
      const upload: Upload = { owner, bytes: 0, wake: undefined };
      uploads.add(upload);
      try {
        return await work({ grow: (bytes) => grow(upload, bytes, request) });
      } finally {
        uploads.delete(upload);
        held -= upload.bytes;
        wakeAll();
      }
    },
    get held() {
      return held;
    },
  };
}
