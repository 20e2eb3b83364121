import type { Command } from 'commander';
import type { FollowedRound } from '../protocol/follow-rounds.ts';
import type { Link } from '../protocol/link.ts';
import type { StudyView } from '../protocol/messages.ts';
import { UsageError } from '../usage-error.ts';
import { type ConnectionFlags, clientOptions, withConnection } from './connection.ts';
import { wholeNumber } from './flags.ts';
import type { Io } from './io.ts';

/** Flags of the commands that are about one round of a study. */
export interface RoundFlags extends ConnectionFlags {
  readonly round?: string;
}

/** Adds the flags of a command that is about one round of a study. */
export function withRound(command: Command): Command {
  return withConnection(
    command.option('--round <number>', 'which round, where the study has several; the newest'),
  );
}

/** The rounds a link leads to, and the one that is asked for: the newest unless `--round` names another. `ownOf` may give another link. */
export async function connectRound(
  argument: string | undefined,
  flags: RoundFlags,
  io: Io,
  purpose?: Link['purpose'],
  ownOf: (link: Link) => Promise<Link> = async (link) => link,
): Promise<FollowedRound & { readonly rounds: readonly [FollowedRound, ...FollowedRound[]] }> {
  const wanted = flags.round === undefined ? undefined : wholeNumber('--round', flags.round);
  const { readLink } = await import('../node/files/link-file.ts');
  const link = await ownOf(await readLink(argument, purpose, io));
  const { followRounds } = await import('../protocol/follow-rounds.ts');
  const rounds = await followRounds(link, clientOptions(flags, io));
  const newest = rounds[rounds.length - 1];
  const round =
    wanted === undefined ? newest : rounds.find(({ view }) => roundNumber(view) === wanted);
  if (round !== undefined) return { ...round, rounds };
  throw new UsageError(
    `the link leads to no round ${wanted}`,
    `its rounds are ${roundNumber(rounds[0].view)} to ${roundNumber(newest.view)}`,
  );
}

/** The number of a round, from 1. */
export function roundNumber({ round = 1 }: StudyView): number {
  return round;
}
