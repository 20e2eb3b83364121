import { type StudyClient, studyClient } from '../../src/protocol/client.ts';
import { followRounds } from '../../src/protocol/follow-rounds.ts';
import type { Link } from '../../src/protocol/link.ts';
import { isSite, type StudyLink } from '../tab/page-address.ts';

type Choices = NonNullable<Parameters<typeof studyClient>[1]>;

/** Milliseconds without an answer after which the page shows a failure: a person is waiting. */
export const NOTICE_AFTER = 4000;

/** A client for the study in the link. */
export function linkClient(link: StudyLink, choices: Choices = {}): StudyClient {
  return studyClient(fullLink(link), { retryFor: NOTICE_AFTER, ...choices });
}

/** The rounds that the link leads to, in order. */
export function linkRounds(
  link: StudyLink,
  choices: Choices = {},
): ReturnType<typeof followRounds> {
  return followRounds(fullLink(link), { retryFor: NOTICE_AFTER, ...choices });
}

function fullLink(link: StudyLink): Link {
  return { ...link, purpose: isSite(link) ? 'join' : 'study' };
}
