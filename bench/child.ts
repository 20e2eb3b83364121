import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Result of a child process. */
export interface ChildRun {
  readonly seconds: number;
  /** Peak of its resident memory (VmHWM, of this process image alone). */
  readonly peakMegabytes: number;
  readonly stdout: string;
}

const POLL_MILLISECONDS = 5;

/** Runs a command to its end; measures the time of the whole process. */
export function runChild(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ChildRun> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(command, args, { env: { ...process.env, ...environment } });
    let stdout = '';
    let stderr = '';
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, peakKilobytes(child.pid));
    }, POLL_MILLISECONDS);
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(watch);
      const seconds = (performance.now() - start) / 1000;
      if (code === 0) resolve({ seconds, peakMegabytes: peak / 1000, stdout });
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}\n${stderr}`));
    });
  });
}

/** Peak resident memory of a process image; 0 if it has ended. */
export function peakKilobytes(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // ended, or not Linux
  }
}

/** CPU time that a process has used, its threads included; NaN if it has ended. */
export function cpuSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN; // ended, or not Linux
  }
}
