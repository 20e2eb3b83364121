import { workerData } from 'node:worker_threads';
import { type SharedFolds, takeFolds } from './fold-threads.ts';

/** A thread that scores folds until all are taken. */
takeFolds(workerData as SharedFolds);
