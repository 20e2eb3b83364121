import { defined } from '../defined.ts';
import type { PastRelease } from '../disclosure/history.ts';
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
    });
  }
  for (const { release, approvedAt, tags } of waiting) {
    if ((releases.get(release.digest)?.outcome ?? 'refused') !== 'refused') continue;
    releases.set(release.digest, { ...factsOf(release), at: approvedAt, tags });
  }
  const read = new Map<string, RowTags | undefined>();
  const past: PastRelease[] = [];
  for (const { tags: digest = '', ...release } of releases.values()) {
    if (digest !== '' && !read.has(digest)) read.set(digest, await tagsOf(digest));
    const tags = read.get(digest);
    past.push(tags === undefined ? release : { ...release, tags });
  }
  return past;
}

/** A past release with the digest of its tags instead of the tags. */
interface TaggedByDigest extends Omit<PastRelease, 'tags'> {
  readonly tags: string | undefined;
}

function factsOf(release: Release) {
  const { digest, study, site, mode, rows, columns = [], charge, weights, labels } = release;
  return {
    ...{ digest, study, site, mode, rows, columns },
    ...defined({ charge, weights, labels }),
  };
}
