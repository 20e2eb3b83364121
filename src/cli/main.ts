#!/usr/bin/env node
import { useNativeHash } from '../node/compute/native-hash.ts';
import { enableRelaxedSimd } from '../node/compute/relaxed-simd.ts';
import { exitCode, type Io } from './io.ts';
import { run } from './run.ts';

enableRelaxedSimd();
useNativeHash();

let survives = false;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (survives) return;
  if (error.code === 'EPIPE') process.exit(exitCode.ok); // the reader of a pipe went away
  throw error;
});

let signalled = false;

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
      listener();
    };
    process.on(signal, hear);
    return () => process.off(signal, hear);
  },
  surviveLostOutput() {
    survives = true;
    process.stderr.on('error', () => {});
  },
};

process.exitCode = await run(process.argv.slice(2), io);
if (signalled) process.exit(); // does not wait for unfinished work
