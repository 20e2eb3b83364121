import type { Command } from 'commander';
import { DataError } from '../data-error.ts';
import { attackBound } from '../privacy/budget.ts';
import { type ForecastSetting, forecastFor, rowsForExcess } from '../privacy/forecast.ts';
import { mechanismOf } from '../privacy/mechanism.ts';
import type { PlacementName } from '../privacy/placement.ts';
import type { PrivacyTerms } from '../study/study.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { choice, wholeNumber } from './flags.ts';
import type { Io } from './io.ts';
import { epsilonFlag, promisedDelta, refinementsFlag } from './privacy-flags.ts';
import { type PrivacyPlan, planText } from './privacy-plan-text.ts';
import { inkFor } from './terminal-text.ts';

interface PlanFlags {
  readonly epsilon: string;
  readonly delta: string;
  readonly rows: string;
  readonly features: string;
  readonly sites?: string;
  readonly placement: PlacementName;
  readonly unit: 'row' | 'person';
  readonly rowsPerPerson?: string;
  readonly neighbours: 'add-remove' | 'replace-one';
  readonly protects: 'rows' | 'labels';
  readonly releases: string;
  readonly refinements: string;
  readonly json?: boolean;
}

/** `suffice privacy plan`: spends nothing and reads no data. */
export function addPrivacyPlan(privacy: Command, io: Io): void {
  privacy
    .command('plan')
    .description(
      'say what (ε, δ) means, the noise it takes and how good a fit will be; reads no data',
    )
    .requiredOption('--epsilon <number>', 'ε of the promise')
    .requiredOption('--delta <number>', 'δ of the promise, well below 1/rows')
    .requiredOption('--rows <count>', 'rows of all sites together')
    .requiredOption('--features <count>', 'columns that predict, the intercept among them')
    .option('--sites <count>', 'sites that contribute')
    .addOption(
      choice('--placement <who>', 'who adds the noise', ['central', 'local', 'aggregators']),
    )
    .addOption(choice('--unit <unit>', 'what is hidden', ['row', 'person']))
    .option('--rows-per-person <count>', 'rows a person may have; with --unit person')
    .addOption(
      choice('--neighbours <notion>', 'a row more or less, or another in its place', [
        'add-remove',
        'replace-one',
      ]),
    )
    .addOption(choice('--protects <what>', 'whole rows, or responses alone', ['rows', 'labels']))
    .option('--releases <count>', 'resolutions that share the budget', '1')
    .option('--refinements <count>', 'private gradient steps after the first round, 5 at most', '0')
    .option('--json', 'print JSON')
    .action((flags) => runPlan(flags, io));
}

function runPlan(flags: PlanFlags, io: Io): void {
  const plan = planOf(termsOf(flags), settingOf(flags));
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(planJson(plan), null, 2))}\n`
      : planText(plan, inkFor(io)),
  );
}

function planOf(terms: PrivacyTerms, setting: Required<ForecastSetting>): PrivacyPlan {
  try {
    const mechanism = mechanismOf(terms, setting.columns);
    return { terms, setting, mechanism, forecast: forecastFor(terms, setting) };
  } catch (failure) {
    if (!(failure instanceof DataError)) throw failure;
    throw new UsageError(failure.problem, failure.remedy, failure.option);
  }
}

/** Keys of `suffice/privacy-plan@1`. */
function planJson({ terms, setting, mechanism, forecast }: PrivacyPlan): object {
  const { mu, spent, bound, shares, sigma } = mechanism;
  return {
    schema: 'suffice/privacy-plan@1',
    mu,
    sigma,
    forecast: {
      ...forecast,
      expectedRowsForOnePercent: rowsForExcess(0.01, forecast, setting.rows),
    },
    terms,
    rows: setting.rows,
    features: setting.columns,
    sites: setting.sites,
    attackBound: attackBound(mu),
    firstRound: { mu: spent, shares, clip: bound / 2 ** 16 },
  };
}

function termsOf(flags: PlanFlags): PrivacyTerms {
  const { unit, neighbours, placement, protects } = flags;
  const person = flags.rowsPerPerson;
  if ((unit === 'person') !== (person !== undefined)) {
    throw new UsageError(
      '--unit person and --rows-per-person belong together',
      'try --unit person --rows-per-person 4',
    );
  }
  const rounds = flags.refinements === '0' ? 0 : refinementsFlag(flags.refinements);
  if (rounds > 0 && protects === 'labels') {
    throw new UsageError(
      'with --protects labels the first round is all there is to gain',
      'leave out --refinements',
    );
  }
  const releases = wholeNumber('--releases', flags.releases);
  if (releases > 1000) {
    throw new UsageError(`--releases is 1000 at most: ${releases}`, 'plan fewer releases');
  }
  if (placement === 'local' && flags.sites === undefined) {
    throw new UsageError('--placement local needs --sites', 'each site adds noise: say how many');
  }
  return {
    epsilon: epsilonFlag(flags.epsilon),
    delta: promisedDelta(flags.delta),
    unit,
    ...(person === undefined ? {} : { rowsPerPerson: wholeNumber('--rows-per-person', person) }),
    neighbours,
    placement,
    protects,
    releases,
    rounds,
  };
}

function settingOf({ rows, features, sites = '1' }: PlanFlags): Required<ForecastSetting> {
  return {
    rows: wholeNumber('--rows', rows),
    columns: wholeNumber('--features', features),
    sites: wholeNumber('--sites', sites),
  };
}
