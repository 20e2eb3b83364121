import { type StudyClient, studyClient } from '../../src/protocol/client.ts';
import { isSite, type StudyLink } from '../tab/page-address.ts';

type Choices = NonNullable<Parameters<typeof studyClient>[1]>;

/** Milliseconds without an answer after which the page shows a failure: a person is waiting. */
export const NOTICE_AFTER = 4000;

/** A client for the study in the link. */
export function linkClient(link: StudyLink, choices: Choices = {}): StudyClient {
  const purpose = isSite(link) ? ('join' as const) : ('study' as const);
  return studyClient({ ...link, purpose }, { retryFor: NOTICE_AFTER, ...choices });
}
