import { type StudyClient, studyClient } from '../../src/protocol/client.ts';
import { isSite, type StudyLink } from '../app/here.ts';

type Choices = NonNullable<Parameters<typeof studyClient>[1]>;

/** A person waits: after so many milliseconds without a coordinator they are told. */
export const TOLD_AFTER = 4000;

/** The study as the holder of the link reaches it. */
export function clientOf(link: StudyLink, choices: Choices = {}): StudyClient {
  const purpose = isSite(link) ? ('join' as const) : ('study' as const);
  return studyClient({ ...link, purpose }, { retryFor: TOLD_AFTER, ...choices });
}
