import { fusedModule, simdModule } from './kernels.wasm.ts';
import { networkModule } from './network.wasm.ts';
import { trainingModule } from './training.wasm.ts';

/** One instance of the WASM kernels with its own memory. */
export interface Kernels {
  /** Whether multiply–add rounds once (relaxed SIMD) on this instance. */
  readonly fused: boolean;
  readonly memory: WebAssembly.Memory;
  /** The raw exports; pointers and sizes in bytes unless the kernel says otherwise. */
  readonly call: Readonly<Record<string, (...args: number[]) => number>>;
  /** Reserves bytes (64-byte aligned, zeroed on first use); growth may detach earlier views. */
  allocate(bytes: number): number;
  /** Runs `work` and frees what it reserved. */
  scoped<T>(work: () => T): T;
  /** `SCRATCH_BYTES` that one call of a kernel may use: they are always there, so no view is detached. */
  readonly scratch: number;
  f64(pointer: number, length: number): Float64Array;
  /** All of the memory: entry i is at pointer 8·i. Making a view for each call would take longer than the call. */
  numbers(): Float64Array;
  f32(pointer: number, length: number): Float32Array;
}

/** Callbacks a kernel may make; instances that never parse text need none. */
export type KernelImports = Readonly<Record<string, (...args: number[]) => number>>;

// (module (func (result v128) … f64x2.relaxed_madd)): valid only with relaxed SIMD.
const RELAXED_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, 65, 0, 253, 17,
  65, 0, 253, 17, 65, 0, 253, 17, 253, 135, 2, 11,
]);

/** Whether this engine runs the fused build. On Node 20 `src/node/compute/relaxed-simd.ts` switches it on. */
export function canFuse(): boolean {
  return WebAssembly.validate(RELAXED_PROBE);
}

const compiled = new Map<string, WebAssembly.Module>();

function moduleOf(base64: string): WebAssembly.Module {
  let module = compiled.get(base64);
  if (module === undefined) {
    module = new WebAssembly.Module(decoded(base64));
    compiled.set(base64, module);
  }
  return module;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return bytes;
}

function unexpected(): never {
  throw new Error('this kernel instance has no callbacks for text');
}

const PAGE = 65536;
const SCRATCH = 65536; // static data of the module sits below
export const SCRATCH_BYTES = 65536;
const FIRST_FREE = SCRATCH + SCRATCH_BYTES;

/** A new instance; `fused` defaults to the fastest build for this engine. */
export function createKernels(
  options: { readonly fused?: boolean; readonly imports?: KernelImports } = {},
): Kernels {
  const fused = options.fused ?? canFuse();
  const kernels = instanceOf(fused ? fusedModule : simdModule, fused, options.imports);
  const known: Kernels = {
    ...kernels,
    allocate(bytes) {
      const pointer = kernels.allocate(bytes);
      holders.set(kernels.memory.buffer, known);
      return pointer;
    },
  };
  return known;
}

const holders = new WeakMap<ArrayBufferLike, Kernels>();

/** The instance of these kernels whose memory this is; undefined for any other buffer. */
export function holderOf(buffer: ArrayBufferLike): Kernels | undefined {
  return holders.get(buffer);
}

/** A new instance of the layers of a network, which never fuse (`kernels/network.as.ts`). */
export function networkKernels(): Kernels {
  return instanceOf(networkModule, false);
}

/** A new instance of the training of networks, which never fuses either (`kernels/training.as.ts`). */
export function trainingKernels(): Kernels {
  return instanceOf(trainingModule, false);
}

function instanceOf(base64: string, fused: boolean, imports: KernelImports = {}): Kernels {
  const memory = new WebAssembly.Memory({ initial: 2, maximum: 65536 });
  const instance = new WebAssembly.Instance(moduleOf(base64), {
    env: {
      memory,
      abort: () => {
        throw new Error('kernel aborted');
      },
      longDecimal: unexpected,
      cell: unexpected,
      refuse: unexpected,
      ...imports,
    },
  });
  let top = FIRST_FREE;
  let numbers = new Float64Array(memory.buffer);
  return {
    fused,
    memory,
    scratch: SCRATCH,
    call: instance.exports as Kernels['call'],
    allocate(bytes) {
      const pointer = top;
      top += Math.ceil(bytes / 64) * 64;
      const missing = top + 64 - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
      return pointer;
    },
    scoped(work) {
      const mark = top;
      try {
        return work();
      } finally {
        top = mark;
      }
    },
    f64: (pointer, length) => new Float64Array(memory.buffer, pointer, length),
    numbers() {
      if (numbers.length === 0) numbers = new Float64Array(memory.buffer); // the memory has grown
      return numbers;
    },
    f32: (pointer, length) => new Float32Array(memory.buffer, pointer, length),
  };
}

/** An instance that never fuses: float results are then the same bits on every engine. */
export function reproducibleKernels(): Kernels {
  return createKernels({ fused: false });
}

let shared: Kernels | undefined;

/** One instance for all work of this thread that keeps nothing in kernel memory: use it inside `scoped`. */
export function sharedKernels(): Kernels {
  shared ??= createKernels();
  return shared;
}
