import { type ClientOptions, studyClient } from '../protocol/client.ts';
import { deviceName, isOpenLink } from '../protocol/enrolment.ts';
import type { Link } from '../protocol/link.ts';
import { Refusal } from '../protocol/refusal.ts';
import { sealDocument } from '../protocol/signature.ts';
import type { SiteStore } from './site-store.ts';

/**
 * The link of this device alone, if the link is one for all devices: enrols it with its key. Again it gets the same link. Any
 * other link stays as it is.
 */
export async function ownLink(
  link: Link,
  store: Pick<SiteStore, 'key'>,
  options: ClientOptions = {},
): Promise<Link> {
  if (!isOpenLink(link)) return link;
  const client = studyClient(link, options);
  const digest = link.digest ?? (await client.view()).digest;
  const key = await store.key();
  const { site, token } = await client.enrol(
    sealDocument({ schema: 'suffice/enrolment@1', study: digest }, key),
  );
  if (site !== deviceName(digest, key.key)) {
    throw new Refusal(
      'conflict',
      'the coordinator enrolled another device than this one',
      'ask the analyst whether the link is right',
    );
  }
  return { ...link, token };
}
