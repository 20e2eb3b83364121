import type { StudyState } from '../../src/protocol/messages.ts';
import type { StudyLink } from '../tab/page-address.ts';
import { linkClient, linkRounds } from './client.ts';
import type { Call } from './worker-messages.ts';

/** A round of a study, in short. */
export interface RoundLine {
  readonly number: number;
  /** The link of this round, with the same secret. */
  readonly link: StudyLink;
  readonly state: StudyState;
  /** Whether it has a result. */
  readonly resolved: boolean;
}

/** The rounds that a link leads to, in order; each follows from the one before. */
export async function listRounds({ signal }: Call, link: StudyLink): Promise<RoundLine[]> {
  const rounds = await linkRounds(link, { signal });
  return rounds.map(({ link: { purpose: _, ...own }, view }) => ({
    number: view.round ?? 1,
    link: own,
    state: view.state,
    resolved: view.resolution !== undefined,
  }));
}

/** Asks the sites for one more round. */
export async function requestRound(_: Call, link: StudyLink): Promise<void> {
  await linkClient(link).openRound();
}
