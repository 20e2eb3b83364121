import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { noise } from '../src/node/compute/bench-kernels.ts';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import { gramRows } from '../src/numeric/gram.ts';
import { createKernels } from '../src/numeric/kernels.ts';

/** Threads with their own rows. */
export interface GramWorkers {
  /** Seconds until every thread has computed its Gram `repeats` times. */
  run(repeats: number): Promise<number>;
  close(): Promise<void>;
}

/** Starts `count` threads with n × d rows each; resolves when they have warmed up. */
export async function startGramWorkers(count: number, n: number, d: number): Promise<GramWorkers> {
  // On Node 20 tsx does not load itself in workers.
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
