import { closeSync, openSync, writeSync } from 'node:fs';
import type { Predicted, PredictRequest } from '../../rows/predict.ts';
import type { appendedLines, predictionLines } from '../../rows/prediction-lines.ts';
import { nodeHost } from '../compute/host.ts';

const FLUSH_CHARACTERS = 2 ** 16;

/** Writes lines of predictions to a file. */
export async function writePredictions(
  lines: typeof predictionLines | typeof appendedLines,
  request: PredictRequest,
  path: string,
): Promise<Predicted> {
  const descriptor = openSync(path, 'w', 0o600);
  let buffer = '';
  try {
    const predicted = await lines(request, nodeHost, (line) => {
      buffer += `${line}\n`;
      if (buffer.length < FLUSH_CHARACTERS) return;
      writeSync(descriptor, buffer);
      buffer = '';
    });
    writeSync(descriptor, buffer);
    return predicted;
  } finally {
    closeSync(descriptor);
  }
}
