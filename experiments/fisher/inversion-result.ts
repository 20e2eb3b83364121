import {
  type ExperimentResult,
  type OwnClaim,
  type PaperStatement,
  paperStatement,
  type ResultPictures,
  type ResultSpread,
  resultSpread,
} from '../paper-result.ts';
import { resultNumberText } from '../text/value-text.ts';
import { TARGET } from './inversion-data.ts';
import type { InversionSizes, InversionTrial, Rebuilt, Way } from './inversion-trial.ts';
import { fisherMatters } from './matters.ts';

const rows: readonly { readonly way: Way; readonly label: string; readonly printed?: string }[] = [
  { way: 'local', label: 'local model', printed: '78.4±3.0' },
  { way: 'aggregate', label: 'aggregate', printed: '5.0±1.0' },
  { way: 'factors', label: 'aggregate and K-FAC', printed: '9.6±2.9' },
  { way: 'nothing', label: 'no model: drawn images' },
  { way: 'mean', label: 'no model: auxiliary mean' },
  { way: 'bias', label: 'K-FAC with biases' },
];

const measures: readonly {
  readonly label: string;
  readonly form?: 'percent';
  of(rebuilt: Rebuilt): number;
}[] = [
  { label: 'attack accuracy', form: 'percent', of: ({ accuracy }) => accuracy },
  { label: 'SSIM', of: ({ ssim }) => ssim },
  { label: 'PSNR (dB)', of: ({ psnr }) => psnr },
  { label: 'MSE', of: ({ error }) => error },
];

export function inversionResult(
  trials: readonly InversionTrial[],
  sizes: InversionSizes,
  seconds: number,
): ExperimentResult {
  return {
    id: 'inversion',
    title: 'Inversion attacks on MNIST (Table 6, Figure 4)',
    about: aboutText(trials, sizes),
    seconds,
    tables: [
      {
        id: '6',
        title: `What the server rebuilds of class ${TARGET}`,
        of: 'what the server has',
        columns: measures.map(({ label, form }) => ({ label, ...(form && { form }) })),
        rows: rows.map(({ way, label, printed }) => ({
          label,
          cells: measures.map((measure, k) => ({
            measured: spreadOf(trials, way, measure.of),
            ...(k === 0 && printed !== undefined ? { printed } : {}),
          })),
        })),
      },
    ],
    figures: [],
    pictures: [picturesOf(trials)],
    differences: [
      `Printed accuracies are those of a generative adversarial network (Zhang et al. 2020); ours is the decoder of an autoencoder with a normal prior of its codes, and the judge is a network trained on all ${sizes.digits} digits. A judge must choose a class, so it also takes pale and shapeless images for one: the similarities say more.`,
      'The weight of the K-FAC’s term (10) was not tuned, and the paper does not name its own. On 12,000 digits, seeds 1 to 3, weights of 1 and 10 and all factors or the first one alone gave SSIMs from 0.11 to 0.18 and accuracies from 0 to 0.75 with no clear winner. So the row of the K-FAC says what this attack found, not what the K-FAC hides.',
      'Similarities are means over all pairs of a rebuilt image and an unseen one. A blurred image has a smaller squared error than a sharp one of another hand, so the squared error and PSNR favour means; SSIM does less.',
    ],
    conclusions: [orderStatement(trials), nothingClaim(trials), biasClaim(trials)],
  };
}

function aboutText(trials: readonly InversionTrial[], sizes: InversionSizes): string {
  const share = (value: (trial: InversionTrial) => number) =>
    `${resultNumberText(100 * resultSpread(trials.map(value)).mean)} %`;
  return [
    `${sizes.digits} digits; the first client has all of class ${TARGET} and ${sizes.others} others, nine clients have the rest (α = 0.1); LeNet, ${sizes.epochs} epochs. The server has ${sizes.auxiliary} images of the nine clients, none of class ${TARGET}.`,
    `It trains a generator on them and looks for ${sizes.images} codes whose images the known network takes for class ${TARGET} (${sizes.steps} steps of Adam). With the K-FAC it also brings the factors of the inputs of all five layers, at the aggregate’s weights, near those that the client sent; the factors of the slopes are left out, since they need second derivatives.`,
    '“Local model” is what DENSE, OTFusion and PFNM show the server, “aggregate” FedAvg, “aggregate and K-FAC” FedFisher. “K-FAC with biases” is no attack: it reads the last column of the first factor, for a network whose first layer is dense and has biases.',
    `Similarities are with ${sizes.unseen} test digits of class ${TARGET}, which nobody has seen. ${trials.length} ${trials.length === 1 ? 'seed' : 'seeds'}. Test accuracy of the first client’s network ${share(({ local }) => local)}, of the aggregate ${share(({ aggregate }) => aggregate)}.`,
  ].join(' ');
}

function spreadOf(
  trials: readonly InversionTrial[],
  way: Way,
  of: (rebuilt: Rebuilt) => number,
): ResultSpread {
  return resultSpread(trials.map(({ rebuilt }) => of(rebuilt.find((one) => one.way === way)!)));
}

function orderStatement(trials: readonly InversionTrial[]): PaperStatement {
  const [accuracy, ssim] = measures;
  return paperStatement({
    matter: fisherMatters.inversion,
    where: 'Table 6',
    claim:
      'While FedFisher(K-FAC) improves attack accuracy compared to FedAvg, it is still lower than other one-shot baselines',
    readings: [
      { ...accuracy!, as: 'attack accuracy by our judge' },
      { ...ssim!, as: `SSIM with unseen images of class ${TARGET}` },
    ].map(({ as, of }) => {
      const [aggregate, factors, local] = (['aggregate', 'factors', 'local'] as const).map(
        (way) => spreadOf(trials, way, of).mean,
      ) as [number, number, number];
      return {
        as,
        holds: aggregate < factors && factors < local,
        because: `aggregate ${resultNumberText(aggregate)}, with K-FAC ${resultNumberText(factors)}, local model ${resultNumberText(local)}`,
      };
    }),
    because: `Without any model, images drawn from the generator have the accuracy ${resultNumberText(spreadOf(trials, 'nothing', accuracy!.of).mean)} and the SSIM ${resultNumberText(spreadOf(trials, 'nothing', ssim!.of).mean)}, and the mean of the auxiliary data has the SSIM ${resultNumberText(spreadOf(trials, 'mean', ssim!.of).mean)}.`,
  });
}

/** What an attack gains is to be compared with what the server had before. */
function nothingClaim(trials: readonly InversionTrial[]): OwnClaim {
  const ssim = (way: Way) => spreadOf(trials, way, measures[1]!.of).mean;
  const before = Math.max(ssim('nothing'), ssim('mean'));
  return {
    of: 'ours',
    claim:
      'By SSIM this attack learns more of the class from the local model than the auxiliary data show, and nothing from the aggregate alone',
    holds: ssim('local') > before && ssim('aggregate') < before,
    because: `without any model ${resultNumberText(before)}, local model ${resultNumberText(ssim('local'))}, aggregate ${resultNumberText(ssim('aggregate'))}; with the K-FAC ${resultNumberText(ssim('factors'))}`,
  };
}

/** A K-FAC may tell more than any attack on a model. */
function biasClaim(trials: readonly InversionTrial[]): OwnClaim {
  const ssim = measures[1]!.of;
  const [bias, local] = [spreadOf(trials, 'bias', ssim), spreadOf(trials, 'local', ssim)];
  return {
    of: 'ours',
    claim:
      'Where the first layer is dense and has biases, the K-FAC holds the mean image of the client, which is nearer to its class than the images that the attack finds with the local model',
    holds: bias.mean > local.mean,
    because: `SSIM ${resultNumberText(bias.mean)} and ${resultNumberText(local.mean)}`,
  };
}

/** The images of the first trial. */
function picturesOf([first]: readonly InversionTrial[]): ResultPictures {
  return {
    id: '4',
    title: `Figure 4: what the server rebuilds of class ${TARGET}`,
    side: 28,
    rows: rows.map(({ way, label }) => ({
      name: label,
      images: first!.rebuilt
        .find((one) => one.way === way)!
        .shown.map((image) =>
          Array.from(image, (pixel) => Math.min(9, Math.floor(10 * pixel))).join(''),
        ),
    })),
  };
}
