import type { Command } from 'commander';
import { attackBound, composed } from '../privacy/budget.ts';
import { epsilonOf, muOf } from '../privacy/calibration.ts';
import { significant } from '../text/number-text.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { repeatedFlag } from './flags.ts';
import type { Io } from './io.ts';
import { deltaFlag, epsilonFlag, muFlag } from './privacy-flags.ts';
import { addPrivacyPlan } from './privacy-plan.ts';

/** `suffice privacy`: what a promise costs, before it is made. */
export function addPrivacyCommand(program: Command, io: Io): void {
  const privacy = program
    .command('privacy')
    .description(
      'plan a private study: what a promise means, its noise and what a fit will be worth',
    );
  addPrivacyPlan(privacy, io);
  addPrivacyConvert(privacy, io);
}

interface ConvertFlags {
  readonly epsilon?: string;
  readonly delta: string;
  readonly mu: readonly string[];
  readonly json?: boolean;
}

/** `suffice privacy convert`: (ε, δ) to μ, or the μ of several releases to the ε they add up to. */
function addPrivacyConvert(privacy: Command, io: Io): void {
  privacy
    .command('convert')
    .description('turn (ε, δ) into μ, or the μ of releases of the same rows into ε')
    .option('--epsilon <number>', 'ε')
    .requiredOption('--delta <number>', 'δ')
    .option('--mu <number>', 'μ of a release; repeat it for several', repeatedFlag, [])
    .option('--json', 'print JSON')
    .action((flags) => runConvert(flags, io));
}

function runConvert(flags: ConvertFlags, io: Io): void {
  if ((flags.epsilon === undefined) === (flags.mu.length === 0)) {
    throw new UsageError('give --epsilon or --mu, one of them', 'try --epsilon 1 --delta 1e-5');
  }
  const delta = deltaFlag(flags.delta);
  const known = flags.epsilon === undefined ? undefined : epsilonFlag(flags.epsilon);
  const mu = known === undefined ? composed(flags.mu.map(muFlag)) : muOf({ epsilon: known, delta });
  const epsilon = known ?? epsilonOf(mu, delta);
  const auc = attackBound(mu);
  if (flags.json === true) {
    const answer = { schema: 'suffice/privacy-conversion@1', epsilon, delta, mu, attackBound: auc };
    io.stdout.write(`${visibleJson(JSON.stringify(answer, null, 2))}\n`);
    return;
  }
  const releases = flags.mu.length > 1 ? `, of ${flags.mu.length} releases together` : '';
  io.stdout.write(
    [
      `ε = ${significant(epsilon, 10)}`,
      `δ = ${flags.delta}`,
      `μ = ${significant(mu, 10)}${releases}`,
      `no membership attack has an AUC above ${auc.toFixed(4)}`,
      '',
    ].join('\n'),
  );
}
