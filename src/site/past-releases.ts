import { defined } from '../defined.ts';
import type { PastRelease } from '../disclosure/release.ts';
import type { RowTags } from '../disclosure/row-tags.ts';
import type { LedgerLine, Release } from './ledger-chain.ts';
import { outcomeOf, readOtherTags, type TagDigests, type Waiting } from './site-store.ts';

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
      stored: line,
    });
  }
  for (const one of waiting) {
    const { release, approvedAt } = one;
    if ((releases.get(release.digest)?.outcome ?? 'refused') !== 'refused') continue;
    releases.set(release.digest, { ...factsOf(release), at: approvedAt, stored: one });
  }
  const known = new Map<string, RowTags | undefined>();
  const read = async (digest: string) => {
    if (!known.has(digest)) known.set(digest, await tagsOf(digest));
    return known.get(digest);
  };
  const past: PastRelease[] = [];
  for (const { stored, ...release } of releases.values()) {
    const tags = stored.tags === undefined ? undefined : await read(stored.tags);
    past.push({ ...release, ...defined({ tags }), ...(await readOtherTags(stored, read)) });
  }
  return past;
}

/** A past release with the digests of its tags instead of the tags. */
interface TaggedByDigest extends Omit<PastRelease, 'tags' | 'people' | 'over'> {
  readonly stored: TagDigests;
}

function factsOf(release: Release) {
  const { digest, study, site, mode, rows, columns = [], charge, weights, labels } = release;
  const { tagForm, fileRows, person, evaluated } = release;
  return {
    ...{ digest, study, site, mode, rows, columns },
    ...defined({ charge, weights, labels, tagForm, fileRows, person, evaluated }),
  };
}
