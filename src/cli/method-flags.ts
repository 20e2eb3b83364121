import { type Command, Option } from 'commander';
import { defined } from '../defined.ts';
import type {
  EstimateFusion,
  Fusion,
  RidgeFusion,
  RidgeRule,
  ShrinkageRule,
  SumsFusion,
} from '../study/study.ts';
import { UsageError } from '../usage-error.ts';
import { wholeNumber } from './flags.ts';
import {
  errorsOfFlag,
  glmFusionOf,
  type KnownErrors,
  knownErrors,
  linearErrors,
  refuseStandardized,
} from './glm-flags.ts';
import {
  type NetworkFlags,
  networkFlagNames,
  networkFusionNames,
  networkFusionOf,
  withNetwork,
} from './network-flags.ts';

/** Flags that say how a model is made of a total. */
export interface MethodFlags {
  readonly ridge?: string;
  readonly standardize?: boolean;
  readonly folds?: string;
  readonly oneSe?: boolean;
  readonly lasso?: string;
  readonly mix?: string;
  readonly se?: KnownErrors;
  readonly siteEffects?: 'none' | 'fixed' | 'random' | 'random-ml';
  readonly classifier?: SumsFusion['kind'];
  readonly shrinkage?: string;
}

/** Flags of a method that sites must know before they reduce their rows. */
export interface FamilyFlags extends MethodFlags, NetworkFlags {
  readonly family?: 'gaussian' | 'binomial' | 'poisson';
  readonly prior?: string;
  readonly fusion?: string;
  readonly covariance?: boolean;
}

const rules: Readonly<Record<string, RidgeRule>> = {
  gcv: 'gcv',
  loso: 'leave-one-site-out',
  'leave-one-site-out': 'leave-one-site-out',
  kfold: 'k-fold',
  'k-fold': 'k-fold',
  ml: 'marginal-likelihood',
  'marginal-likelihood': 'marginal-likelihood',
};

export function withMethod(command: Command): Command {
  return command
    .option(
      '--ridge <value>',
      'penalty on the slopes: a number, or chosen by gcv, loso (leaving out one site at a time), kfold (groups of sites) or ml (marginal likelihood); with --family a number',
    )
    .option(
      '--standardize',
      'with --ridge or --lasso: penalise slopes of columns scaled by their population SD',
    )
    .option('--folds <n>', 'groups of sites that kfold leaves out in turn (default: 5)')
    .option(
      '--one-se',
      'with loso or kfold: the largest penalty within one standard error of the best',
    )
    .option('--lasso <lambda>', 'lasso with glmnet’s lambda, or loso to choose it')
    .option('--mix <alpha>', 'elastic net: glmnet’s alpha in (0, 1] (default: 1, the lasso)')
    .addOption(
      new Option(
        '--se <kind>',
        'standard errors; clustered are robust to correlation within sites; HC0 and HC1, with --family, to a wrong variance of the rows',
      )
        .choices([...knownErrors])
        .argParser(errorsOfFlag),
    )
    .addOption(
      new Option('--site-effects <kind>', 'an intercept for each site').choices([
        'none',
        'fixed',
        'random',
        'random-ml',
      ]),
    )
    .addOption(
      new Option(
        '--classifier <kind>',
        'for a category as y: regression on indicators (ridge, the default), linear discriminant analysis or naive Bayes; from the same sums',
      ).choices(['ridge', 'discriminant', 'naive-bayes']),
    )
    .option(
      '--shrinkage <value>',
      'with --classifier discriminant: from 0 (covariance as it is) to 1 (no correlations), or chosen by gcv or loso',
    );
}

export function withFamily(command: Command): Command {
  return withNetwork(withMethod(command))
    .addOption(
      new Option(
        '--family <name>',
        'binomial is logistic regression, poisson for counts: one round, close to pooling, not exact',
      ).choices(['gaussian', 'binomial', 'poisson']),
    )
    .option(
      '--prior <kind>',
      'with --family: what keeps a small site finite, firth or the number of a ridge on its slopes (default: firth)',
    )
    .addOption(
      new Option(
        '--fusion <kind>',
        'each site sends its own coefficients instead of sums: average weights them by rows, fesc corrects for small sites; few bytes, not the pooled fit. With --network: how networks are fused',
      ).choices(['average', 'fesc', ...networkFusionNames]),
    )
    .option('--covariance', 'with --fusion: sites add the covariance of their coefficients');
}

/** The fusion of a new study. */
export function fusionOf(flags: FamilyFlags): Fusion {
  const { family, prior, fusion, covariance } = flags;
  const network = Object.entries(networkFlagNames).find(([key]) => key in flags);
  if (fusion === 'average' || fusion === 'fesc') {
    if (network !== undefined)
      throw misplaced(network[1], '--fusion fisher-diagonal or another of networks');
    return estimateFusionOf(fusion, flags);
  }
  if (fusion !== undefined || flags.network !== undefined) {
    refuseBesideNetwork(flags);
    return networkFusionOf(fusion, flags);
  }
  if (network !== undefined) throw misplaced(network[1], '--network');
  if (covariance === true) throw misplaced('--covariance', '--fusion average or --fusion fesc');
  if (family === undefined || family === 'gaussian') {
    if (prior !== undefined) throw misplaced('--prior', '--family binomial or --family poisson');
    return methodFromFlags(flags) ?? { kind: 'ridge', ridge: 0 };
  }
  const { ridge, se, ...others } = flags;
  refuseStandardized(others.standardize);
  const linear = Object.entries(methodFlags).find(([key]) => key in others);
  if (linear !== undefined) throw misplaced(linear[1], '--family gaussian');
  return glmFusionOf(family, {
    ridge: ridge === undefined ? 0 : ridgeOf(ridge),
    se,
    prior:
      prior === undefined || prior === 'firth' ? 'firth' : numberOf('--prior', prior, ['firth']),
  });
}

/** Refuses flags of other methods beside a network. */
function refuseBesideNetwork(flags: FamilyFlags): void {
  const others = {
    ...methodFlags,
    family: '--family',
    prior: '--prior',
    covariance: '--covariance',
  };
  const idle = Object.entries(others).find(([key]) => key in flags);
  if (idle === undefined) return;
  throw new UsageError(
    `--network and ${idle[1]} do not go together`,
    'leave out one: a network learns by itself how the columns act',
  );
}

/** A fusion of the sites' own regressions, which take a ridge and no other flag of a method. */
function estimateFusionOf(
  kind: EstimateFusion['kind'],
  { family, prior, ridge, covariance, ...flags }: FamilyFlags,
): EstimateFusion {
  const [idle] = [
    ...(family === undefined ? [] : ['--family']),
    ...(prior === undefined ? [] : ['--prior']),
    ...Object.entries(methodFlags).flatMap(([key, flag]) => (key in flags ? [flag] : [])),
  ];
  if (idle !== undefined) {
    throw new UsageError(
      `--fusion ${kind} and ${idle} do not go together`,
      `leave out one: with --fusion a site solves least squares, or a ridge of a number`,
    );
  }
  const penalty = ridge === undefined ? 0 : ridgeOf(ridge);
  if (typeof penalty !== 'number') {
    throw new UsageError(
      `with --fusion ${kind} the ridge is a number: ${ridge}`,
      'give the same number to all sites, such as --ridge 0.1',
    );
  }
  return {
    kind,
    ...(penalty === 0 ? {} : { ridge: penalty }),
    ...(covariance === true ? { covariance } : {}),
  };
}

const methodFlags: Readonly<Record<keyof MethodFlags, string>> = {
  ridge: '--ridge',
  standardize: '--standardize',
  folds: '--folds',
  oneSe: '--one-se',
  lasso: '--lasso',
  mix: '--mix',
  se: '--se',
  siteEffects: '--site-effects',
  classifier: '--classifier',
  shrinkage: '--shrinkage',
};

/** The method that flags ask for; undefined where they ask for none. */
export function methodFromFlags(flags: MethodFlags): SumsFusion | undefined {
  if (!Object.keys(methodFlags).some((key) => key in flags)) return undefined;
  const { classifier = 'ridge', shrinkage } = flags;
  if (shrinkage !== undefined && classifier !== 'discriminant') {
    throw misplaced('--shrinkage', '--classifier discriminant');
  }
  return classifier === 'ridge' ? ridgeFromFlags(flags) : classifierFromFlags(classifier, flags);
}

/** A classifier that is no regression, and takes none of its flags. */
function classifierFromFlags(
  kind: 'discriminant' | 'naive-bayes',
  { classifier: _, shrinkage, ...flags }: MethodFlags,
): SumsFusion {
  const idle = Object.entries(methodFlags).find(([key]) => key in flags);
  if (idle !== undefined) throw misplaced(idle[1], '--classifier ridge');
  if (kind === 'naive-bayes') return { kind };
  return { kind, ...(shrinkage === undefined ? {} : { shrinkage: shrinkageOf(shrinkage) }) };
}

function shrinkageOf(text: string): number | ShrinkageRule {
  const rule = rules[text];
  if (rule === 'gcv' || rule === 'leave-one-site-out') return rule;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && value <= 1) return value;
  throw new UsageError(
    `--shrinkage must be a number from 0 to 1, gcv or loso: ${shown(text)}`,
    'try --shrinkage gcv',
  );
}

function ridgeFromFlags(flags: MethodFlags): RidgeFusion {
  const { standardize, folds, oneSe, se, siteEffects, mix } = flags;
  const errors = linearErrors(se);
  const ridge = flags.ridge === undefined ? 0 : ridgeOf(flags.ridge);
  const lasso = lassoOf(flags);
  if (folds !== undefined && ridge !== 'k-fold') throw misplaced('--folds', '--ridge kfold');
  if (mix !== undefined && lasso === undefined) throw misplaced('--mix', '--lasso');
  const penalised = ridge !== 0 || lasso !== undefined;
  if (standardize === true && !penalised) throw misplaced('--standardize', '--ridge or --lasso');
  const leavesOut = [ridge, lasso?.lambda].some(
    (rule) => rule === 'leave-one-site-out' || rule === 'k-fold',
  );
  if (oneSe === true && !leavesOut)
    throw misplaced('--one-se', '--ridge loso, --ridge kfold or --lasso loso');
  if (lasso !== undefined && ridge !== 0) {
    throw new UsageError(
      '--ridge and --lasso are two penalties',
      'for both at once take --lasso with --mix: 0.5 is half and half',
    );
  }
  const grouped = siteEffects !== undefined && siteEffects !== 'none';
  if (grouped && penalised) {
    throw new UsageError('--site-effects and a penalty do not go together', 'leave out one');
  }
  if (grouped && siteEffects !== 'fixed' && se === 'clustered') {
    throw new UsageError(
      'a random intercept already accounts for correlation within sites',
      'take --se clustered or --site-effects random, not both',
    );
  }
  return {
    kind: 'ridge',
    ridge,
    ...(standardize === true ? { standardize } : {}),
    ...(folds === undefined ? {} : { folds: foldsOf(folds) }),
    ...(oneSe === true ? { prefer: 'one-standard-error' } : {}),
    ...defined({ lasso }),
    ...(errors === undefined || errors === 'classical' ? {} : { errors }),
    ...(siteEffects === undefined || siteEffects === 'none' ? {} : { siteEffects }),
  };
}

function ridgeOf(text: string): number | RidgeRule {
  return rules[text] ?? numberOf('--ridge', text, ['gcv', 'loso', 'kfold', 'ml']);
}

function lassoOf({ lasso, mix }: MethodFlags): RidgeFusion['lasso'] {
  if (lasso === undefined) return undefined;
  const lambda =
    rules[lasso] === 'leave-one-site-out'
      ? 'leave-one-site-out'
      : numberOf('--lasso', lasso, ['loso']);
  if (mix === undefined) return { lambda };
  const alpha = mix.trim() === '' ? Number.NaN : Number(mix);
  if (!(alpha > 0 && alpha <= 1)) {
    throw new UsageError(`--mix must lie in (0, 1]: ${shown(mix)}`, 'for 0 take --ridge instead');
  }
  return { lambda, mix: alpha };
}

function foldsOf(text: string): number {
  const folds = wholeNumber('--folds', text);
  if (folds < 2) throw new UsageError('--folds must be at least 2', 'try --folds 5');
  return folds;
}

function numberOf(flag: string, text: string, words: readonly string[]): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && Number.isFinite(value)) return value;
  const others = words.join(', ').replace(/, ([^,]*)$/, ' or $1');
  throw new UsageError(
    `${flag} must be a number ≥ 0${words.length > 1 ? ',' : ' or'} ${others}: ${shown(text)}`,
    `try ${flag} ${words[0]}`,
  );
}

function shown(text: string): string {
  return text === '' ? '""' : text;
}

/** A flag that says nothing without another. */
export function misplaced(flag: string, home: string): UsageError {
  return new UsageError(`${flag} belongs to ${home}`, `leave out ${flag}, or add ${home}`);
}
