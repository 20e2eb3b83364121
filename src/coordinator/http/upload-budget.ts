/** What one upload holds of the budget. */
export interface Share {
  /** Waits until so many more bytes may be held. Refuses to wait once the signal is aborted. */
  grow(bytes: number): Promise<void>;
}

/**
 * Bounds the bytes of all uploads that are held at once. Uploads take their share as bytes
 * arrive, so a slow one holds little; when the budget is spent, the others wait and the one that
 * began first goes on, so none waits for ever. Held at most: the budget and one upload.
 */
export interface UploadBudget {
  /** Gives a share for the time `work` runs. */
  use<T>(signal: AbortSignal, work: (share: Share) => Promise<T>): Promise<T>;
  /** Bytes held now. */
  readonly held: number;
}

interface Holder {
  bytes: number;
  /** Set while it waits. */
  wake: (() => void) | undefined;
}

export function createUploadBudget(budget: number): UploadBudget {
  /** In order of beginning. */
  const holders = new Set<Holder>();
  let held = 0;

  const wakeAll = (): void => {
    for (const holder of holders) holder.wake?.();
  };
  const mayGrow = (holder: Holder, bytes: number): boolean =>
    held + bytes <= budget || holders.values().next().value === holder;

  const grow = async (holder: Holder, bytes: number, signal: AbortSignal): Promise<void> => {
    while (!mayGrow(holder, bytes)) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        const done = () => {
          holder.wake = undefined;
          signal.removeEventListener('abort', done);
          resolve();
        };
        holder.wake = done;
        signal.addEventListener('abort', done);
      });
    }
    signal.throwIfAborted();
    holder.bytes += bytes;
    held += bytes;
  };

  return {
    async use(signal, work) {
      const holder: Holder = { bytes: 0, wake: undefined };
      holders.add(holder);
      try {
        return await work({ grow: (bytes) => grow(holder, bytes, signal) });
      } finally {
        holders.delete(holder);
        held -= holder.bytes;
        wakeAll();
      }
    },
    get held() {
      return held;
    },
  };
}
