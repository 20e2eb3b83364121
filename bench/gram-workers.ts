import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { noise } from '../src/node/bench-kernels.ts';
import { enableRelaxedSimd } from '../src/node/relaxed-simd.ts';
import { gramRows } from '../src/numeric/gram.ts';
import { createKernels } from '../src/numeric/kernels.ts';

/** Threads that each hold rows of their own. */
export interface GramWorkers {
  /** Seconds until every thread has made its Gram so many times. */
  run(repeats: number): Promise<number>;
  close(): Promise<void>;
}

/** Starts `count` threads with n × d rows each; they have warmed up when this resolves. */
export async function startGramWorkers(count: number, n: number, d: number): Promise<GramWorkers> {
  // tsx does not reach into workers by itself on Node 20.
  const code = `import('${import.meta.resolve('tsx/esm/api')}').then((tsx) => tsx.tsImport('${import.meta.url}', '${import.meta.url}'))`;
  const workers = Array.from(
    { length: count },
    () => new Worker(code, { eval: true, workerData: { n, d } }),
  );
  const run = async (repeats: number) => {
    const start = performance.now();
    await Promise.all(
      workers.map(
        (worker) =>
          new Promise((resolve, reject) => {
            worker.once('message', resolve);
            worker.once('error', reject);
            worker.postMessage(repeats);
          }),
      ),
    );
    for (const worker of workers) worker.removeAllListeners('error');
    return (performance.now() - start) / 1000;
  };
  await run(3);
  return {
    run,
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

if (!isMainThread && parentPort !== null && workerData?.n !== undefined) {
  enableRelaxedSimd();
  const { n, d }: { n: number; d: number } = workerData;
  const port = parentPort;
  const kernels = createKernels();
  const rows = new Float64Array(n * d).map(noise(d));
  port.on('message', (repeats: number) => {
    for (let k = 0; k < repeats; k++) gramRows(kernels, rows, n, d);
    port.postMessage('done');
  });
}
