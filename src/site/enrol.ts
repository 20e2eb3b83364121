import { type ClientOptions, studyClient } from '../protocol/client.ts';
import { deviceName, isOpenLink } from '../protocol/enrolment.ts';
import type { FollowedRound } from '../protocol/follow-rounds.ts';
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

/** The link to try a study with: a device that has sent nothing keeps the link for all, so that it takes no place. */
export async function rehearsalLink(
  link: Link,
  store: Pick<SiteStore, 'key' | 'acknowledged'>,
  options: ClientOptions = {},
): Promise<Link> {
  if (!isOpenLink(link)) return link;
  const digest = link.digest ?? (await studyClient(link, options).view()).digest;
  const { key } = await store.key();
  const sent = await store.acknowledged(digest, deviceName(digest, key));
  return sent.length === 0 ? link : ownLink(link, store, options);
}

/** A round as this device would see it, had it enrolled; refuses where it could not. */
export async function asDevice(
  round: FollowedRound,
  store: Pick<SiteStore, 'key'>,
): Promise<FollowedRound> {
  const { view } = round;
  if (view.devices?.open === false) {
    throw new Refusal(
      'conflict',
      'enrolling in this study has ended',
      'ask the analyst whether it will; nothing was sent',
    );
  }
  const { key } = await store.key();
  const you = { site: deviceName(view.digest, key), nextSequence: 1 };
  return { ...round, view: { ...view, you } };
}
