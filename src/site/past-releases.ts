import { defined } from '../defined.ts';
import type { PastRelease } from '../disclosure/release.ts';
import type { RowTags } from '../disclosure/row-tags.ts';
import type { LedgerLine, Release } from './ledger-chain.ts';
import { outcomeOf, type Waiting } from './site-store.ts';

/** Past releases from the ledger, then those that wait in the outbox. Each file once; an acknowledged entry replaces a refused one. */
export async function pastReleases(
  lines: readonly LedgerLine[],
  waiting: readonly Waiting[],
  tagsOf: (digest: string) => Promise<RowTags | undefined>,
): Promise<readonly PastRelease[]> {
  const releases = new Map<string, TaggedByDigest>();
  for (const line of lines) {
    if ((releases.get(line.digest)?.outcome ?? 'refused') !== 'refused') continue;
    releases.set(line.digest, {
      ...factsOf(line),
      at: line.at,
      outcome: outcomeOf(line),
      tags: line.tags,
      people: line.people,
    });
  }
  for (const { release, approvedAt, tags, people } of waiting) {
    if ((releases.get(release.digest)?.outcome ?? 'refused') !== 'refused') continue;
    releases.set(release.digest, { ...factsOf(release), at: approvedAt, tags, people });
  }
  const stored = new Map<string, RowTags | undefined>();
  const read = async (digest = '') => {
    if (digest !== '' && !stored.has(digest)) stored.set(digest, await tagsOf(digest));
    return stored.get(digest);
  };
  const past: PastRelease[] = [];
  for (const { tags, people, ...release } of releases.values()) {
    past.push({ ...release, ...defined({ tags: await read(tags), people: await read(people) }) });
  }
  return past;
}

/** A past release with the digest of its tags instead of the tags. */
interface TaggedByDigest extends Omit<PastRelease, 'tags' | 'people'> {
  readonly tags: string | undefined;
  readonly people: string | undefined;
}

function factsOf(release: Release) {
  const { digest, study, site, mode, rows, columns = [], charge, weights, labels } = release;
  const { tagForm, fileRows, person } = release;
  return {
    ...{ digest, study, site, mode, rows, columns },
    ...defined({ charge, weights, labels, tagForm, fileRows, person }),
  };
}
