import type { PastRelease } from '../disclosure/history.ts';
import type { RowTags } from '../disclosure/row-tags.ts';
import { outcomeOf, type Waiting } from './home.ts';
import type { LedgerLine, Release } from './ledger-chain.ts';

/** What has left and what may have, in this order: each file once, and as taken where it was refused at first. */
export async function pastReleases(
  lines: readonly LedgerLine[],
  waiting: readonly Waiting[],
  tagsOf: (digest: string) => Promise<RowTags | undefined>,
): Promise<readonly PastRelease[]> {
  const told = new Map<string, Told>();
  for (const line of lines) {
    if ((told.get(line.digest)?.outcome ?? 'refused') !== 'refused') continue;
    told.set(line.digest, {
      ...factsOf(line),
      at: line.at,
      outcome: outcomeOf(line),
      tags: line.tags,
    });
  }
  for (const { release, approvedAt, tags } of waiting) {
    if ((told.get(release.digest)?.outcome ?? 'refused') !== 'refused') continue;
    told.set(release.digest, { ...factsOf(release), at: approvedAt, tags });
  }
  const read = new Map<string, RowTags | undefined>();
  const past: PastRelease[] = [];
  for (const { tags: digest = '', ...release } of told.values()) {
    if (digest !== '' && !read.has(digest)) read.set(digest, await tagsOf(digest));
    const tags = read.get(digest);
    past.push(tags === undefined ? release : { ...release, tags });
  }
  return past;
}

/** A past release with the digest of its tags in place of them. */
interface Told extends Omit<PastRelease, 'tags'> {
  readonly tags: string | undefined;
}

function factsOf(release: Release) {
  const { digest, study, site, mode, rows, columns = [], charge, weights, labels } = release;
  return {
    ...{ digest, study, site, mode, rows, columns },
    ...(charge === undefined ? {} : { charge }),
    ...(weights === undefined ? {} : { weights }),
    ...(labels === undefined ? {} : { labels }),
  };
}
