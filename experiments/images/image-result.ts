import { defined } from '../../src/defined.ts';
import type { ExperimentResult, OwnClaim, ResultTable, TableCell } from '../paper-result.ts';
import type { ImageSet } from './image-sets.ts';
import { alphas, type MapOutcome, partitionText, SITES } from './one-map.ts';
import type { ImagePlan } from './plan.ts';

/** What an experiment on one data set has measured so far. */
export interface ImageRun {
  readonly id: string;
  readonly title: string;
  readonly set: ImageSet;
  readonly plan: ImagePlan;
  readonly images: { readonly train: number; readonly test: number };
  readonly outcomes: readonly MapOutcome[];
  readonly seconds: number;
}

export function imageResult(run: ImageRun): ExperimentResult {
  const { id, title, set, outcomes, seconds } = run;
  return {
    id,
    title,
    about: aboutText(run),
    seconds,
    tables: [accuracyTable(set, outcomes), costTable(outcomes)],
    figures: [],
    differences: [],
    conclusions: [...sameClaims(outcomes), ...(run.plan.quick ? [] : reachedClaims(outcomes))],
  };
}

function aboutText({ set, plan, images }: ImageRun): string {
  return [
    `${set.name}, ${images.train} images for training and ${images.test} for testing, as the npm package divides them.`,
    `The training images are divided among ${SITES} sites as FedFisher’s code does it (shares of the classes from a Dirichlet distribution, seed ${plan.seed}, our random numbers), and once more they are all at one site.`,
    'For each partition the sums of every site are computed and added, and the digest of the total is compared. One model is solved from that total: ridge regression on the indicators of the classes.',
    'Its λ minimises the generalised cross-validation score, which needs the sums alone. Maps, sizes, seeds and layers were fixed beforehand; no test label was used for a choice.',
  ].join(' ');
}

const measured = (value: number): TableCell => ({ measured: { mean: value, count: 1 } });
const percent = (share: number) => Math.round(share * 1e6) / 1e4;
const nameOf = ({ row, width }: MapOutcome) => `${row.label}, D = ${width}`;

const headName = (outcome: MapOutcome, k: number) =>
  `${nameOf(outcome)}, ${outcome.row.heads![k]!.label}`;

/** The models of one total. */
function modelsOf(outcome: MapOutcome): readonly { label: string; accuracy: number }[] {
  return [
    { label: nameOf(outcome), accuracy: outcome.accuracy },
    ...outcome.heads.map(({ accuracy }, k) => ({ label: headName(outcome, k), accuracy })),
  ];
}

function accuracyTable({ name, printed }: ImageSet, outcomes: readonly MapOutcome[]): ResultTable {
  const partitions = [...alphas.map(String), 'one site'];
  return {
    id: 'accuracy',
    title: `Accuracy on the test images of ${name}, in %`,
    of: 'features',
    columns: partitions.map((_, k) => ({ label: partitionText(k) })),
    rows: [
      ...outcomes.flatMap((outcome) =>
        modelsOf(outcome).map(({ label, accuracy }) => ({
          label,
          cells: partitions.map((_, k) =>
            outcome.digests[k] === outcome.digests.at(-1)
              ? measured(percent(accuracy))
              : { text: 'another total' },
          ),
        })),
      ),
      ...printed.map(({ label, byAlpha }) => ({
        label,
        cells: partitions.map((alpha) => defined({ printed: byAlpha[alpha] })),
      })),
    ],
  };
}

function costTable(outcomes: readonly MapOutcome[]): ResultTable {
  return {
    id: 'cost',
    title: 'Bytes a site sends, and processor seconds',
    of: 'features',
    columns: [
      { label: 'sent by a site', form: 'bytes' },
      { label: 'features', form: 'seconds' },
      { label: 'sums of one partition', form: 'seconds' },
      { label: 'model', form: 'seconds' },
      { label: 'λ' },
      { label: 'digest of the total' },
    ],
    rows: outcomes.flatMap((outcome) => [
      {
        label: nameOf(outcome),
        cells: [
          measured(outcome.bytes),
          measured(outcome.seconds.map),
          measured(outcome.seconds.sums),
          measured(outcome.seconds.solve),
          measured(outcome.ridge),
          { text: outcome.digests.at(-1)!.slice(0, 'sha256:'.length + 16) },
        ],
      },
      ...outcome.heads.map(({ solve }, k) => ({
        label: headName(outcome, k),
        cells: [{ text: 'the same' }, {}, {}, measured(solve)],
      })),
    ]),
  };
}

/** The same total under every partition: then model and accuracy are the same to the last digit. */
function sameClaims(outcomes: readonly MapOutcome[]): OwnClaim[] {
  return outcomes.map((outcome) => {
    const different = new Set(outcome.digests).size;
    return {
      of: 'ours',
      claim: `${nameOf(outcome)}: every partition gives the same total, and so the same model and accuracy, to the last bit`,
      holds: different === 1,
      because: `${outcome.digests.length} partitions, ${different} digest${different === 1 ? '' : 's'}`,
    };
  });
}

function reachedClaims(outcomes: readonly MapOutcome[]): OwnClaim[] {
  return outcomes.flatMap((outcome) => {
    const { claimed } = outcome.row;
    if (claimed === undefined) return [];
    return [
      {
        of: 'ours',
        claim: `${nameOf(outcome)}: at least ${claimed} % of the test images`,
        holds: percent(outcome.accuracy) >= claimed,
        because: `${percent(outcome.accuracy)} %`,
      },
    ];
  });
}
