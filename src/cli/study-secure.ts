import { readFileSync, writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { PairwiseMasks } from '../aggregation/pairwise-masks.ts';
import type { TwoAggregators } from '../aggregation/two-aggregators.ts';
import { givenUpText } from '../aggregation/who-sees.ts';
import { rosterIn } from '../aggregation/written-roster.ts';
import type { KemName } from '../cipher/kems.ts';
import { kemNames } from '../cipher/kems.ts';
import { defined } from '../defined.ts';
import type { PlacementName } from '../privacy/placement.ts';
import { withPlacement } from '../privacy/with-placement.ts';
import { wrapped } from '../site/wrapped.ts';
import type { VerticalPartition } from '../study/partition.ts';
import type { TableStudy } from '../study/study.ts';
import { grouped } from '../text/number-text.ts';
import { visibleJson, visibleLines } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { type ConnectionFlags, clientOptions, withConnection } from './connection.ts';
import { type Io, pathIn } from './io.ts';

interface SecureFlags extends ConnectionFlags {
  readonly helper?: string;
  readonly roster: string;
  readonly minimumSites?: string;
  readonly kem?: KemName;
  readonly placement?: PlacementName;
  readonly folds?: string;
  readonly stageMinutes?: string;
  readonly out?: string;
  readonly json?: boolean;
}

/** `suffice study secure`: a study in which nobody sees the numbers of one site. */
export function addStudySecure(study: Command, io: Io): void {
  const asPath = pathIn(io);
  const secure = study
    .command('secure')
    .description('make of a study one in which no party sees the numbers of a single site')
    .argument('<study>', 'JSON file of the study', asPath)
    .option(
      '--helper <url>',
      'address of the helper, run by another organisation; without it the sites agree on masks',
    )
    .requiredOption('--roster <file>', 'names and keys of the sites, one site a line', asPath)
    .option('--minimum-sites <n>', 'fewest sites of anything that is given out (default: 5)')
    .addOption(
      new Option(
        '--kem <name>',
        'how masks are sealed; x-wing holds against quantum computers',
      ).choices(kemNames),
    )
    .addOption(
      new Option(
        '--placement <who>',
        'in a private study: who adds the noise; aggregators: the coordinator and the helper, so that neither sees an exact sum',
      ).choices(['central', 'local', 'aggregators']),
    )
    .option(
      '--folds <n>',
      'groups of sites whose sums are opened one by one, for a ridge by k-fold',
    )
    .option(
      '--stage-minutes <n>',
      'without a helper: time of each stage after the one that the deadline ends (default: 60)',
    )
    .option('--out <file>', 'where to write the study; it is printed unless given', asPath)
    .option('--json', 'with --out: print JSON');
  withConnection(secure).action((path, flags) => runSecure(path, flags, io));
}

async function runSecure(path: string, flags: SecureFlags, io: Io): Promise<void> {
  const { readStudy } = await import('../node/files/json-file.ts');
  const read = await readStudy(path);
  const study = flags.placement === undefined ? read : withPlacement(read, flags.placement);
  const roster = rosterIn(readFileSync(flags.roster, 'utf8'), flags.roster);
  if ('partition' in study && study.partition !== undefined) {
    return secureParties(study, study.partition, roster, flags, io);
  }
  const aggregation =
    flags.helper === undefined
      ? withMasks(roster, flags)
      : await withHelper(flags.helper, roster, flags, io);
  const { parseStudy } = await import('../fusion/study-schema.ts');
  const { agreement } = await import('../federate.ts');
  const secured = parseStudy({ ...study, aggregation });
  const agreed = agreement(secured);
  const text = `${JSON.stringify(secured, null, 2)}\n`;
  if (flags.out === undefined) {
    io.stdout.write(visibleJson(text));
    return;
  }
  writeFileSync(flags.out, text);
  io.stdout.write(
    flags.json === true
      ? `${JSON.stringify({ schema: 'suffice/secured@1', study: flags.out, digest: agreed.digest, sites: Object.keys(roster) })}\n`
      : visibleLines(securedText(flags.out, aggregation)),
  );
}

/** A partition with the keys of its parties and of the helper that links their rows. */
async function secureParties(
  study: TableStudy,
  partition: VerticalPartition,
  roster: Readonly<Record<string, string>>,
  flags: SecureFlags,
  io: Io,
): Promise<void> {
  const { helper: address, minimumSites, kem, folds, stageMinutes, placement } = flags;
  if (address === undefined) {
    throw new UsageError(
      'parties with different columns need a helper, which links their rows',
      'give --helper: its people must not work together with a party',
    );
  }
  if ([minimumSites, kem, folds, stageMinutes, placement].some((flag) => flag !== undefined)) {
    throw new UsageError(
      'a study with a partition takes --helper and --roster only',
      'leave out the other flags',
    );
  }
  const { helperClient } = await import('../protocol/helper-client.ts');
  const url = address.replace(/\/+$/, '');
  const client = helperClient(url, { ...clientOptions(flags, io), retryFor: 5000 });
  const { keys, signingKey } = await client.description();
  const helper = { url, key: keys.x25519, signingKey };
  const { parseStudy } = await import('../fusion/study-schema.ts');
  const { agreement } = await import('../federate.ts');
  const secured = parseStudy({ ...study, partition: { ...partition, roster, helper } });
  const { digest } = agreement(secured);
  const text = `${JSON.stringify(secured, null, 2)}\n`;
  if (flags.out === undefined) {
    io.stdout.write(visibleJson(text));
    return;
  }
  writeFileSync(flags.out, text);
  const sites = Object.keys(partition.parties);
  io.stdout.write(
    flags.json === true
      ? `${JSON.stringify({ schema: 'suffice/secured@1', study: flags.out, digest, sites })}\n`
      : visibleLines(
          `${flags.out} is written: ${sites.length} parties with different columns.\n\n${helperText(helper)}\n`,
        ),
  );
}

async function withHelper(
  address: string,
  roster: TwoAggregators['roster'],
  flags: SecureFlags,
  io: Io,
): Promise<TwoAggregators> {
  const { helperClient } = await import('../protocol/helper-client.ts');
  const url = address.replace(/\/+$/, '');
  const client = helperClient(url, { ...clientOptions(flags, io), retryFor: 5000 });
  if (flags.stageMinutes !== undefined) {
    throw new UsageError('with a helper there are no stages', 'leave out --stage-minutes');
  }
  const { keys, signingKey } = await client.description();
  return {
    kind: 'two-aggregators',
    helper: { url, key: keys[flags.kem ?? 'x25519'], signingKey },
    roster,
    ...defined({
      minimumSites: wholeNumber('--minimum-sites', flags.minimumSites, 3),
      kem: flags.kem,
      folds: wholeNumber('--folds', flags.folds, 2),
    }),
  };
}

function withMasks(roster: PairwiseMasks['roster'], flags: SecureFlags): PairwiseMasks {
  if (flags.kem !== undefined || flags.folds !== undefined) {
    throw new UsageError('--kem and --folds need a helper', 'give --helper too, or leave them out');
  }
  return {
    kind: 'pairwise-masks',
    roster,
    ...defined({
      minimumSites: wholeNumber('--minimum-sites', flags.minimumSites, 3),
      stageMinutes: minutesIn(flags.stageMinutes),
    }),
  };
}

function minutesIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 10_080) return value;
  throw new UsageError(
    `--stage-minutes must be a whole number from 1 to 10080: ${text}`,
    'give the minutes that the sites need to come back',
  );
}

const masksText = `The sites agree on masks: each runs suffice join, which waits for the others, sends one contribution,
waits until the study has closed, and helps to open the sum. It can be stopped and run again.
At the deadline of the study, the stage under way goes on with the sites that are there.`;

const helperText = ({ url, signingKey }: TwoAggregators['helper']) =>
  `The helper at ${url} signs with
  ${signingKey}
Compare this key with the one its people tell you by another way.`;

function securedText(path: string, aggregation: TwoAggregators | PairwiseMasks): string {
  const { roster, minimumSites = 5 } = aggregation;
  return `${path} is written: ${grouped(Object.keys(roster).length)} sites, nothing about fewer than ${minimumSites} of them.

${'helper' in aggregation ? helperText(aggregation.helper) : masksText}

${wrapped('', givenUpText, 100).join('\n')}
`;
}

function wholeNumber(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new UsageError(
    `${flag} must be a whole number from ${least}: ${text}`,
    'of two sites, each would know the other by taking itself off; one group is no choice',
  );
}
