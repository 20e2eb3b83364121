import { type Command, Option } from 'commander';
import { defined } from '../defined.ts';
import { DELTA_LIMIT } from '../study/promise-doubts.ts';
import type { PrivacyTerms } from '../study/study.ts';
import { UsageError } from '../usage-error.ts';
import { wholeNumber } from './flags.ts';
import { misplaced } from './method-flags.ts';

/** Flags that make a study private. */
export interface PrivacyFlags {
  readonly epsilon?: string;
  readonly delta?: string;
  readonly person?: string;
  readonly rowsPerPerson?: string;
  readonly neighbours?: 'add-remove' | 'replace-one';
  readonly placement?: 'central' | 'local';
  readonly protects?: 'rows' | 'labels';
  readonly releases?: string;
  readonly refinements?: string;
  readonly solver?: 'cleaner' | 'ridge' | 'adassp';
  readonly expectedRows?: string;
}

export function withPrivacy(command: Command): Command {
  return command
    .option(
      '--epsilon <ε>',
      'make what is published differentially private: 1, or 0.5 to hide more',
    )
    .option('--delta <δ>', 'with --epsilon: chance that the promise fails (default: 1e-5)')
    .option(
      '--person <column>',
      'with --epsilon: hide persons, not rows; the column says whose row it is',
    )
    .option('--rows-per-person <n>', 'with --person: rows a person may have at a site')
    .addOption(
      new Option(
        '--neighbours <kind>',
        'with --epsilon: hide whether a row is there, or which of two it is',
      ).choices(['add-remove', 'replace-one']),
    )
    .addOption(
      new Option(
        '--placement <who>',
        'with --epsilon: the coordinator adds the noise, or each site (more noise, no trust)',
      ).choices(['central', 'local']),
    )
    .addOption(
      new Option('--protects <what>', 'with --epsilon: whole rows, or the response alone').choices([
        'rows',
        'labels',
      ]),
    )
    .option('--releases <n>', 'with --epsilon: resolutions that share the budget (default: 1)')
    .option('--refinements <n>', 'with --epsilon: private gradient rounds after the first, up to 5')
    .addOption(
      new Option('--solver <name>', 'with --epsilon: how a noisy total is solved').choices([
        'cleaner',
        'ridge',
        'adassp',
      ]),
    )
    .option(
      '--expected-rows <n>',
      'with --epsilon: rows over all sites, roughly, for the forecast',
    );
}

const companions: Readonly<Record<Exclude<keyof PrivacyFlags, 'epsilon'>, string>> = {
  delta: '--delta',
  person: '--person',
  rowsPerPerson: '--rows-per-person',
  neighbours: '--neighbours',
  placement: '--placement',
  protects: '--protects',
  releases: '--releases',
  refinements: '--refinements',
  solver: '--solver',
  expectedRows: '--expected-rows',
};

const USUAL_DELTA = 1e-5;

/** The privacy that flags ask for; undefined where they ask for none. */
export function privacyOfFlags(flags: PrivacyFlags): PrivacyTerms | undefined {
  const { epsilon, delta, person, rowsPerPerson, neighbours, placement, protects, solver } = flags;
  if (epsilon === undefined) {
    const alone = Object.entries(companions).find(([key]) => key in flags);
    if (alone !== undefined) throw misplaced(alone[1], '--epsilon');
    return undefined;
  }
  if ((person === undefined) !== (rowsPerPerson === undefined)) {
    throw new UsageError(
      '--person and --rows-per-person go together',
      'say whose row it is, and how many rows a person may have: --person patient --rows-per-person 4',
    );
  }
  const rounds = flags.refinements === undefined ? 0 : refinementsFlag(flags.refinements);
  return {
    epsilon: epsilonFlag(epsilon),
    delta: delta === undefined ? USUAL_DELTA : promisedDelta(delta),
    unit: person === undefined ? 'row' : 'person',
    ...(person === undefined || rowsPerPerson === undefined
      ? {}
      : { person, rowsPerPerson: wholeNumber('--rows-per-person', rowsPerPerson) }),
    ...defined({ neighbours, placement, protects }),
    ...(flags.releases === undefined
      ? {}
      : { releases: wholeNumber('--releases', flags.releases) }),
    ...(rounds === 0 ? {} : { rounds }),
    ...defined({ solver }),
    ...(flags.expectedRows === undefined
      ? {}
      : { expectedRows: wholeNumber('--expected-rows', flags.expectedRows) }),
  };
}

export function epsilonFlag(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 1000) return value;
  throw new UsageError(`--epsilon must be above 0, and 1000 at most: ${text}`, 'try --epsilon 1');
}

export function deltaFlag(text: string): number {
  const value = Number(text);
  if (value > 0 && value < 1) return value;
  throw new UsageError(`--delta must be between 0 and 1: ${text}`, 'try --delta 1e-6');
}

export function muFlag(text: string): number {
  const value = Number(text);
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new UsageError(`--mu must be positive: ${text}`, 'try --mu 0.25');
}

/** With a δ of this size or more, publishing whole rows at random would keep the promise. */
export function promisedDelta(text: string): number {
  const delta = deltaFlag(text);
  if (delta < DELTA_LIMIT) return delta;
  throw new UsageError(
    `--delta must be below ${DELTA_LIMIT}, and should be well below 1/rows: ${text}`,
    'try --delta 1e-6',
  );
}

const MOST_REFINEMENTS = 5;

export function refinementsFlag(text: string): number {
  const rounds = wholeNumber('--refinements', text);
  if (rounds <= MOST_REFINEMENTS) return rounds;
  throw new UsageError(
    `--refinements is ${MOST_REFINEMENTS} at most: ${rounds}`,
    'try --refinements 4',
  );
}
