import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A Python, with the versions of the packages it can import. */
export interface Python {
  readonly command: string;
  readonly versions: Readonly<
    Record<'python' | 'numpy' | 'scipy' | 'pandas' | 'sklearn', string | null>
  >;
}

/** A Python process with one thread that keeps its arrays between requests. */
export interface Peer {
  readonly versions: Python['versions'];
  /** The BLAS library of numpy. */
  readonly blas: string;
  ask<T = number>(request: Readonly<Record<string, unknown>>): Promise<T>;
  close(): void;
}

const VERSIONS = `
import importlib, json, platform
def version(name):
    try: return importlib.import_module(name).__version__
    except Exception: return None
names = ['numpy', 'scipy', 'pandas', 'sklearn']
print(json.dumps({'python': platform.python_version(), **{name: version(name) for name in names}}))
`;

/** The Python that can import most of numpy, scipy, pandas and scikit-learn. */
export function findPython(): Python | undefined {
  const found = ['/usr/bin/python3', 'python3'].flatMap((command): Python[] => {
    try {
      const text = execFileSync(command, ['-c', VERSIONS], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return [{ command, versions: JSON.parse(text) }];
    } catch {
      return [];
    }
  });
  const wealth = ({ versions }: Python) => Object.values(versions).filter((v) => v !== null).length;
  return found.sort((a, b) => wealth(b) - wealth(a))[0];
}

/** Environment variables that limit every BLAS to this many threads. */
export function blasThreads(threads: number): Readonly<Record<string, string>> {
  const count = String(threads);
  return { OPENBLAS_NUM_THREADS: count, OMP_NUM_THREADS: count, MKL_NUM_THREADS: count };
}

/** Starts bench/peer.py. */
export async function startPeer({ command, versions }: Python): Promise<Peer> {
  const script = fileURLToPath(new URL('peer.py', import.meta.url));
  const child = spawn(command, [script], {
    env: { ...process.env, ...blasThreads(1) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (request: Readonly<Record<string, unknown>>) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const answer = await answers.next();
    if (answer.done === true) throw new Error(`bench/peer.py ended at ${JSON.stringify(request)}`);
    return JSON.parse(answer.value);
  };
  return {
    versions,
    blas: await ask({ do: 'blas' }),
    ask,
    close: () => child.stdin.end(),
  };
}
