import { createRequire } from 'node:module';
import type { LibraryHandle } from 'koffi';

type ForeignFunction = ReturnType<LibraryHandle['func']>;

/** The BLAS and LAPACK routines in use, on row-major float64 arrays. */
export interface BlasCalls {
  readonly name: string;
  /** Upper triangle of C = AᵀA + beta·C for a rows × width matrix A (dsyrk). */
  multiplySelf(a: Float64Array, rows: number, width: number, c: Float64Array, beta: 0 | 1): void;
  /** Upper triangle of C = AᵀB + BᵀA + beta·C (dsyr2k). */
  multiplyBoth(
    a: Float64Array,
    b: Float64Array,
    rows: number,
    width: number,
    c: Float64Array,
    beta: 0 | 1,
  ): void;
  /** out ← A v for the leading d × d part of a symmetric matrix, of which only the upper triangle is read (dsymv). */
  multiplySymmetric(
    a: Float64Array,
    stride: number,
    d: number,
    v: Float64Array,
    out: Float64Array,
  ): void;
  /** Positive definite matrices; undefined if the library has no LAPACK. */
  readonly positive: PositiveCalls | undefined;
}

/** Cholesky on the upper triangle of a d × d matrix, in place. */
export interface PositiveCalls {
  /** A ← R by dpotrf. Returns 0, or the number (from 1) of the first row that is not positive. */
  factor(a: Float64Array, d: number): number;
  /** x ← (RᵀR)⁻¹x by dpotrs. */
  solve(r: Float64Array, d: number, x: Float64Array): void;
  /** R ← the upper triangle of (RᵀR)⁻¹, by dpotri. */
  invert(r: Float64Array, d: number): void;
}

// From include/cblas.h: CblasRowMajor, CblasUpper, CblasTrans.
const ROW_MAJOR = 101;
const UPPER = 121;
const TRANSPOSED = 112;

const candidates: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: [
    'libopenblas.so.0',
    'libopenblas.so',
    '/usr/lib/x86_64-linux-gnu/libopenblas.so.0',
    '/usr/lib/aarch64-linux-gnu/libopenblas.so.0',
    '/usr/lib64/libopenblas.so.0',
    'libmkl_rt.so.2',
    'libmkl_rt.so',
    'libblas.so.3',
    'libcblas.so.3',
  ],
  darwin: [
    '/System/Library/Frameworks/Accelerate.framework/Accelerate',
    '/opt/homebrew/opt/openblas/lib/libopenblas.dylib',
    '/usr/local/opt/openblas/lib/libopenblas.dylib',
  ],
  win32: ['libopenblas.dll', 'openblas.dll', 'mkl_rt.2.dll'],
};

/** Not by `import()`, which a compiled script cannot call (`../files/compiled-script.ts`). */
const require = createRequire(import.meta.url);

function installedKoffi(): typeof import('koffi') | undefined {
  try {
    return require('koffi');
  } catch {
    return undefined;
  }
}

/** Opens the named library, or the first known one that has the routines; undefined without koffi. */
export async function openBlas(
  library: string | undefined,
  threads: number,
): Promise<BlasCalls | undefined> {
  return openBlasNow(library, threads);
}

/** The same at once: loading a library does not wait. */
export function openBlasNow(library: string | undefined, threads: number): BlasCalls | undefined {
  const koffi = installedKoffi();
  if (koffi === undefined) {
    if (library !== undefined) throw new Error(`SUFFICE_BLAS=${library} needs the package koffi`);
    return undefined;
  }
  for (const name of library === undefined ? (candidates[process.platform] ?? []) : [library]) {
    try {
      const handle = koffi.load(name);
      setThreads(handle, threads);
      return callsOf(name, handle);
    } catch (error) {
      if (library !== undefined) {
        throw new Error(`SUFFICE_BLAS=${library} is not a usable BLAS`, { cause: error });
      }
    }
  }
  return undefined;
}

function callsOf(name: string, library: LibraryHandle): BlasCalls {
  const dsyrk = library.func(
    'void cblas_dsyrk(int order, int uplo, int trans, int n, int k, double alpha, const void* a, int lda, double beta, void* c, int ldc)',
  );
  const dsyr2k = library.func(
    'void cblas_dsyr2k(int order, int uplo, int trans, int n, int k, double alpha, const void* a, int lda, const void* b, int ldb, double beta, void* c, int ldc)',
  );
  const dsymv = library.func(
    'void cblas_dsymv(int order, int uplo, int n, double alpha, const void* a, int lda, const void* x, int incx, double beta, void* y, int incy)',
  );
  return {
    name,
    multiplySymmetric(a, stride, d, v, out) {
      dsymv(ROW_MAJOR, UPPER, d, 1, a, stride, v, 1, 0, out, 1);
    },
    multiplySelf(a, rows, width, c, beta) {
      dsyrk(ROW_MAJOR, UPPER, TRANSPOSED, width, rows, 1, a, width, beta, c, width);
    },
    multiplyBoth(a, b, rows, width, c, beta) {
      dsyr2k(ROW_MAJOR, UPPER, TRANSPOSED, width, rows, 1, a, width, b, width, beta, c, width);
    },
    positive: positiveCalls(library),
  };
}

// LAPACK's Fortran symbols take arguments by reference and the length of a string at the end. They are column-major, so
// their lower triangle is our upper one.
function positiveCalls(library: LibraryHandle): BlasCalls['positive'] {
  const dpotrf = optional(
    library,
    'void dpotrf_(const char* uplo, void* n, void* a, void* lda, void* info, size_t length)',
  );
  const dpotrs = optional(
    library,
    'void dpotrs_(const char* uplo, void* n, void* nrhs, void* a, void* lda, void* b, void* ldb, void* info, size_t length)',
  );
  const dpotri = optional(
    library,
    'void dpotri_(const char* uplo, void* n, void* a, void* lda, void* info, size_t length)',
  );
  if (dpotrf === undefined || dpotrs === undefined || dpotri === undefined) return undefined;
  return {
    factor(a, d) {
      const size = Int32Array.of(d);
      const info = Int32Array.of(0);
      dpotrf('L', size, a, size, info, 1);
      return info[0]!;
    },
    solve(r, d, x) {
      const size = Int32Array.of(d);
      dpotrs('L', size, Int32Array.of(1), r, size, x, size, Int32Array.of(0), 1);
    },
    invert(r, d) {
      const size = Int32Array.of(d);
      dpotri('L', size, r, size, Int32Array.of(0), 1);
    },
  };
}

function setThreads(library: LibraryHandle, threads: number): void {
  const set =
    optional(library, 'void openblas_set_num_threads(int threads)') ??
    optional(library, 'void MKL_Set_Num_Threads(int threads)');
  set?.(threads);
}

function optional(library: LibraryHandle, prototype: string): ForeignFunction | undefined {
  try {
    return library.func(prototype);
  } catch {
    return undefined;
  }
}
