import { nextRound } from '../federate.ts';
import { studyDigest } from '../study/study.ts';
import { type ClientOptions, type StudyClient, studyClient } from './client.ts';
import type { Link } from './link.ts';
import type { StudyView } from './messages.ts';
import { Refusal } from './refusal.ts';
import { studyId } from './study-part.ts';
import { mismatch } from './verified.ts';

/** One round of a study: its own link with the same secret, its client, and its view. */
export interface FollowedRound {
  readonly link: Link;
  readonly client: StudyClient;
  readonly view: StudyView;
}

/** More rounds than these are not followed: their number comes from the coordinator. */
const MOST_FOLLOWED = 100;

/**
 * The rounds of a study from that of the link to the newest one that the holder of the link is part of. A round is followed only
 * if it is exactly the study that the round before and its signed resolution give. `client` is that of the link, if there is one.
 */
export async function followRounds(
  link: Link,
  options: ClientOptions = {},
  client: StudyClient = studyClient(link, options),
): Promise<readonly [FollowedRound, ...FollowedRound[]]> {
  const first: FollowedRound = { link, client, view: await client.view() };
  const later: FollowedRound[] = [];
  for (;;) {
    const next = await roundAfter(later.at(-1) ?? first, options);
    if (next === undefined) return [first, ...later];
    later.push(next);
    if (later.length > MOST_FOLLOWED) throw mismatch(`it has more than ${MOST_FOLLOWED} rounds`);
  }
}

async function roundAfter(
  { link, client, view }: FollowedRound,
  options: ClientOptions,
): Promise<FollowedRound | undefined> {
  const { next } = view;
  if (next === undefined) return undefined;
  const { study, digest } = view;
  const { report } = await client.resolution(next.resolution);
  const derived = nextRound(study, report, { study: digest, total: report.digest });
  if ('problem' in derived || studyDigest(derived) !== next.digest) {
    throw mismatch('the next round does not follow from the study you were invited to');
  }
  const linkOfNext: Link = { ...link, study: studyId(next.digest), digest: next.digest };
  const clientOfNext = studyClient(linkOfNext, options);
  try {
    return { link: linkOfNext, client: clientOfNext, view: await clientOfNext.view() };
  } catch (failure) {
    // A site that has withdrawn is not part of the rounds that follow.
    if (failure instanceof Refusal && failure.code === 'not-allowed') return undefined;
    throw failure;
  }
}
