import { NetworkFailure } from '../protocol/network-failure.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { ParentStudy } from '../study/study.ts';
import { visibleText } from '../text/visible-text.ts';
import type { Io } from './io.ts';
import { studyOfRegion } from './study-region.ts';

/** The study that a coordinator may take part in as a region; undefined if its coordinator does not answer now. */
export async function parentToServe(
  invitation: string,
  ownKey: string,
  io: Io,
): Promise<ParentStudy | undefined> {
  const { readLink } = await import('../node/files/link-file.ts');
  const { studyClient } = await import('../protocol/client.ts');
  const link = await readLink(invitation, 'join', io);
  if (link.coordinatorKey === ownKey) {
    throw new Refusal(
      'unprocessable',
      'the invitation is to a study of this coordinator itself: it would be above itself',
      'run the region on a coordinator of its own',
    );
  }
  try {
    const view = await studyClient(link, { retryFor: 0 }).view();
    return (await studyOfRegion(link, view)).parents?.[0];
  } catch (failure) {
    // A region starts while its parent is down, too.
    if (failure instanceof NetworkFailure) return undefined;
    throw failure;
  }
}

/** How to open the study of a region here. */
export function parentText(
  parent: ParentStudy | undefined,
  invitation: string,
  create: string,
): string[] {
  const named =
    parent === undefined
      ? 'The coordinator above does not answer now. When it does, open the study of this region:'
      : `This is ${visibleText(parent.site)}, a region of a study at ${new URL(parent.coordinator).host}. To open its study here:`;
  return [
    named,
    `  suffice study region ${invitation} --out region.json`,
    `  ${create.replace('STUDY.json', `region.json --parent ${invitation}`)}`,
    '',
  ];
}
