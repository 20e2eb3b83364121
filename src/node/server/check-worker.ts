import { parentPort } from 'node:worker_threads';
import { checkFile } from '../../coordinator/contribution-checks.ts';
import { type Agreement, agreement } from '../../federate.ts';
import { sealDocument } from '../../protocol/signature.ts';
import type { Study } from '../../study/study.ts';
import { useNativeCrypto } from '../compute/native-crypto.ts';
import { type CheckTask, MOST_STUDIES, type TaskResult } from './check-tasks.ts';

/** The thread that checks contributions and signs receipts: a list of tasks comes, a list of their results goes. */
const port = parentPort;
if (port === null) throw new Error('check-worker.ts runs only as a worker');

useNativeCrypto();
const studies = new Map<number, Agreement>();

port.on('message', (tasks: readonly CheckTask[]) => {
  const results = tasks.map((task): TaskResult => {
    try {
      return resultOf(task);
    } catch (error) {
      return { crash: error instanceof Error ? error.message : String(error) };
    }
  });
  port.postMessage(results);
});

function resultOf(task: CheckTask): TaskResult {
  if ('receipt' in task) return { signed: sealDocument(task.receipt, task.key) };
  const agreed = agreedOn(task.number, task.study);
  const started = performance.now();
  const found = checkFile(agreed, task.file);
  const milliseconds = performance.now() - started;
  if ('refused' in found) return { found, milliseconds };
  const { statistic, ...header } = found.contribution;
  return { found: { ...found, contribution: { header, values: statistic.values } }, milliseconds };
}

/** The agreement with this number; its study comes with the first task about it. */
function agreedOn(number: number, study: Study | undefined): Agreement {
  if (study !== undefined) {
    if (studies.size >= MOST_STUDIES) studies.delete(studies.keys().next().value as number);
    studies.set(number, agreement(study));
  }
  const known = studies.get(number);
  if (known === undefined) throw new Error(`no study has number ${number}`);
  return known;
}
