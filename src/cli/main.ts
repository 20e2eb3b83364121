#!/usr/bin/env node
import { enableRelaxedSimd } from '../node/compute/relaxed-simd.ts';
import type { Io } from './io.ts';

// Before anything else is loaded: what a build has compiled is good only under the same flags of V8.
enableRelaxedSimd();

let survives = false;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (survives) return;
  if (error.code === 'EPIPE') process.exit(0); // the reader of a pipe went away
  throw error;
});

let signalled = false;
/** What the listeners of a signal still do. */
const pending: (void | Promise<void>)[] = [];

/** This process. Node opens a stream when it is first asked for: stdin and stderr only if a command needs them. */
const io: Io = {
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  get stderr() {
    return process.stderr;
  },
  env: process.env,
  nodeVersion: process.versions.node,
  onSignal(signal, listener) {
    const hear = () => {
      signalled = true;
      pending.push(listener());
    };
    process.on(signal, hear);
    return () => process.off(signal, hear);
  },
  interrupt() {
    process.exit(130);
  },
  surviveLostOutput() {
    survives = true;
    process.stderr.on('error', () => {});
  },
};

async function start(): Promise<void> {
  const { useNativeHash } = await import('../node/compute/native-hash.ts');
  const { run } = await import('./run.ts');
  useNativeHash();
  process.exitCode = await run(process.argv.slice(2), io);
  await Promise.all(pending);
  if (signalled) process.exit(); // does not wait for other unfinished work
}

void start();
