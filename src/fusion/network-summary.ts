import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import type { Examples } from '../network/examples.ts';
import { initialWeights } from '../network/initial-weights.ts';
import { membershipOf } from '../network/membership.ts';
import { rowLosses } from '../network/outputs.ts';
import { train } from '../network/train.ts';
import { fullTraining } from '../network/training.ts';
import { seededWords } from '../random/seeded-words.ts';
import { completeRows } from '../statistic/complete-rows.ts';
import type { Summarizer, SummarizerOptions } from '../statistic/cross-product.ts';
import type { SegmentLayout } from '../statistic/layout.ts';
import { missingCells } from '../statistic/missing-cells.ts';
import { statistics } from '../statistic/statistic.ts';
import { digestJson } from '../study/digest.ts';
import { heldOutRows } from './held-out-rows.ts';
import { classCounts, keptExamples, someExamples } from './kept-examples.ts';
import type { NetworkKind } from './network-kind.ts';
import { networkStatistic } from './network-numbers.ts';
import type { NetworkStudy } from './network-study.ts';
import type { NetworkTerms } from './network-terms.ts';
import { startWeights } from './network-weights.ts';

/**
 * Keeps a site's rows until `finish`, trains its network on most of them, and reduces the network to what its fusion sends. The
 * other rows show what the network remembers of those.
 */
export function networkSummarizer<Terms extends NetworkTerms>(
  { design, inputs, answers, plan }: NetworkStudy,
  layout: SegmentLayout,
  kind: NetworkKind<Terms>,
  terms: Terms,
  options: SummarizerOptions,
): Summarizer<SegmentLayout> {
  const missing = missingCells(design.variables, options);
  const kept = keptExamples(design, inputs, answers);
  let dropped = 0;
  const training = fullTraining(terms.training);

  const add: Summarizer['add'] = (block, rowOf) => {
    const complete = completeRows(block, missing.counter(rowOf));
    dropped += block.rows - complete.block.rows;
    if (complete.block.rows === 0) return;
    const indexOf = (r: number) => complete.origin?.[r] ?? r;
    kept.add(complete.block, { file: options.file, rowOf: (r) => rowOf(indexOf(r)) });
  };

  const firstWeights = (): Float32Array => {
    if (terms.at !== undefined) return startWeights(terms.at, plan);
    const own = 'starts' in terms && terms.starts === 'own' ? options.site : undefined;
    return initialWeights(plan, own === undefined ? training.seed : seedOf(training.seed, own));
  };

  const weightsOf = (examples: Examples): Float32Array => {
    const of = digestJson({ ...terms, rows: kept.digest() });
    const { training: hooks } = options;
    const resume = hooks?.resume?.of === of ? hooks.resume.state : undefined;
    const epochs = train(plan, examples, training, firstWeights(), resume);
    for (;;) {
      const step = epochs.next();
      if (step.done === true) return step.value;
      const { epoch, epochs: planned, loss: mean, state } = step.value;
      const kept = state === undefined ? undefined : { of, state: state() };
      const from = resume?.epoch;
      hooks?.progress({ epoch, epochs: planned, loss: mean, ...defined({ from, kept }) });
    }
  };

  const finish: Summarizer<SegmentLayout>['finish'] = () => {
    const all = kept.all();
    const counts = { rows: all.rows, dropped, missing: missing.counts };
    if (all.rows === 0) return { statistic: statistics(layout).zero, ...counts };
    const split = heldOutRows(all.rows, terms.heldOut ?? USUAL_SHARE, seededWords(training.seed));
    const examples = someExamples(all, split.trained);
    const weights = weightsOf(examples);
    const means = kind.measure({ plan, weights, examples, seed: training.seed }, terms);
    const statistic = networkStatistic(layout, examples.rows, means);
    if ('tooLarge' in statistic) throw tooLarge(statistic.tooLarge, options.file);
    const lossesOf = (rows: Examples) => rowLosses(plan, weights, rows);
    const membership =
      split.heldOut.length === 0
        ? undefined
        : membershipOf(lossesOf(examples), lossesOf(someExamples(all, split.heldOut)));
    const classes = classCounts(examples.answers, plan.outputs);
    return {
      statistic,
      ...counts,
      network: { trained: examples.rows, ...defined({ classes, membership }) },
    };
  };
  return { add, finish };
}

/** Share of the rows that is held out where the study is silent. */
const USUAL_SHARE = 0.1;

/** A seed of a site's own: the same for the same study and site. */
function seedOf(seed: number, site: string): number {
  return Number.parseInt(
    digestJson({ seed, site }).slice('sha256:'.length, 'sha256:'.length + 8),
    16,
  );
}

function tooLarge(segment: string, file: string): DataError {
  return new DataError(
    `the numbers of the trained network are too large to send (${segment})`,
    { file },
    'ask for a study with a smaller step, or with ranges that fit the columns',
  );
}
