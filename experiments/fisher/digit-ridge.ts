import { conclude } from '../../src/conclude.ts';
import { agreement, collect, contribution, reduction } from '../../src/federate.ts';
import { createPredictor } from '../../src/model/predict.ts';
import { createKernels } from '../../src/numeric/kernels.ts';
import type { ImageStudy } from '../../src/study/image-study.ts';
import { DIGIT_CLASSES, DIGIT_PIXELS, SIDE, type SmallDigits } from './small-digits.ts';

const classes = Array.from({ length: DIGIT_CLASSES }, (_, k) => String(k));

/** Ridge regression on fixed random convolutions: the study of examples/digits. */
const study: ImageStudy = {
  schema: 'suffice/study@1',
  name: 'digits',
  data: { kind: 'images', height: SIDE, width: SIDE, channels: 1, classes },
  features: [{ kind: 'convolution', dimension: 73, size: 3, pooling: 2, seed: 1 }],
  fusion: { kind: 'ridge', ridge: 'gcv' },
  arithmetic: 'exact',
};

/** The predicted class of each test digit, from the exact sums of all clients: how they are divided does not matter. */
export function digitRidge(
  digits: SmallDigits,
  clients: readonly Uint32Array[],
  test: Uint32Array,
): Uint8Array {
  const agreed = agreement(study);
  const kernels = createKernels();
  const sites = clients
    .filter(({ length }) => length > 0)
    .map((rows, k) => {
      const sums = reduction(agreed, { file: `client ${k + 1}`, missing: 'refuse', kernels });
      sums.add(blockOf(digits, rows, 'labelled'), (r) => r + 1);
      return { name: `client ${k + 1}`, summary: sums.finish() };
    });
  const total = collect(
    agreed,
    sites.map(({ name, summary }) => contribution(agreed, name, summary)),
  );
  if ('problem' in total) throw new Error(total.problem);
  const lines = sites.map(({ name, summary }) => ({ name, n: summary.rows }));
  const found = conclude(agreed, total, { sites: lines, audience: 'owner' });
  if ('problem' in found) throw new Error(found.problem);
  const predictor = createPredictor(study, found.report);
  const said = predictor.predict(blockOf(digits, test, 'unlabelled'), {
    file: 'test',
    rowOf: (r) => r + 1,
  });
  return Uint8Array.from(said[predictor.names.indexOf('.class')]!);
}

/** Rows as a table: the class, if it is wanted, then the pixels. */
function blockOf(
  { pixels, labels }: SmallDigits,
  rows: Uint32Array,
  with_: 'labelled' | 'unlabelled',
) {
  const cells = Array.from({ length: DIGIT_PIXELS }, (_, k) =>
    Float64Array.from(rows, (row) => pixels[DIGIT_PIXELS * row + k]!),
  );
  const known = Float64Array.from(rows, (row) => labels[row]!);
  return { rows: rows.length, columns: with_ === 'labelled' ? [known, ...cells] : cells };
}
