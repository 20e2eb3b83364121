import type { Kernels } from '../numeric/kernels.ts';

const ENTRY_BYTES = 32;

/** Texts that the kernel knows, each with a value and a count. */
export interface Spellings {
  readonly pointer: number;
  readonly mask: number;
  readonly size: number;
  /** Adds a text if it is new, with its `count` so far. */
  add(text: Uint8Array, value: number, count?: number): void;
  /** The count of each text, in the order of adding. */
  counts(): number[];
}

/** An empty table in kernel memory; it moves as it grows, so read `pointer` and `mask` again after `add`. */
export function createSpellings(kernels: Kernels): Spellings {
  const entries: { from: number; length: number; at: number }[] = [];
  let slots = 16;
  let pointer = kernels.allocate(slots * ENTRY_BYTES);
  clear(kernels, pointer, slots);

  const grow = () => {
    const old = entries.map(({ from, length, at }) => {
      const [value, count] = kernels.f64(at + 16, 2);
      return { from, length, value: value!, count: count! };
    });
    slots *= 2;
    pointer = kernels.allocate(slots * ENTRY_BYTES);
    clear(kernels, pointer, slots);
    old.forEach(({ from, length, value, count }, i) => {
      const at = kernels.call.addSpelling!(pointer, slots - 1, from, length, value, count);
      entries[i] = { from, length, at };
    });
  };

  return {
    get pointer() {
      return pointer;
    },
    get mask() {
      return slots - 1;
    },
    get size() {
      return entries.length;
    },
    add(text, value, count = 0) {
      if (2 * (entries.length + 1) > slots) grow();
      const from = kernels.allocate(text.length + 8);
      new Uint8Array(kernels.memory.buffer, from, text.length).set(text);
      if (kernels.call.findSpelling!(pointer, slots - 1, from, text.length) !== 0) return;
      const at = kernels.call.addSpelling!(pointer, slots - 1, from, text.length, value, count);
      entries.push({ from, length: text.length, at });
    },
    counts: () => entries.map(({ at }) => kernels.f64(at + 24, 1)[0]!),
  };
}

function clear(kernels: Kernels, pointer: number, slots: number): void {
  new Uint8Array(kernels.memory.buffer, pointer, slots * ENTRY_BYTES).fill(0);
}
