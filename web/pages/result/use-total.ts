import { useEffect, useState } from 'preact/hooks';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import { isSite, type StudyLink } from '../../tab/page-address.ts';
import { call } from '../../worker/call.ts';
import type { ShownResult } from '../../worker/result-overview.ts';

/** Whether the worker has the exact sums behind a result. */
export type TotalState =
  | { readonly kind: 'here' }
  | { readonly kind: 'fetching' }
  /** Too large to fetch without asking. */
  | { readonly kind: 'large'; readonly bytes: number; readonly fetch: () => void }
  | { readonly kind: 'absent'; readonly why: WithoutTotal }
  | { readonly kind: 'failed'; readonly failure: PageFailure };

/** Why there is no total: the link is a site's, or the method shows it to nobody. */
export type WithoutTotal = 'site' | NonNullable<ShownResult['withoutTotal']>;

/** Bytes up to which the total is fetched without asking. */
const MODEST = 16e6;

/** Fetches the total for the analyst. Its digest is checked before it is used. */
export function useTotal(link: StudyLink, shown: ShownResult | undefined): TotalState {
  const [asked, setAsked] = useState(false);
  const [got, setGot] = useState<{ readonly of: ShownResult; readonly failure?: PageFailure }>();
  const why = isSite(link) ? 'site' : shown?.withoutTotal;
  const wanted = why === undefined && shown !== undefined && (asked || shown.totalBytes <= MODEST);
  useEffect(() => {
    if (!wanted || shown === undefined) return;
    let current = true;
    const { studyDigest, number } = shown.resolution;
    call('fetchTotal', [link, studyDigest, number]).then(
      () => current && setGot({ of: shown }),
      (error) => current && setGot({ of: shown, failure: pageFailureOf(error) }),
    );
    return () => {
      current = false;
    };
  }, [wanted, shown]);
  if (why !== undefined) return { kind: 'absent', why };
  if (shown !== undefined && !wanted) {
    return { kind: 'large', bytes: shown.totalBytes, fetch: () => setAsked(true) };
  }
  if (got === undefined || got.of !== shown) return { kind: 'fetching' };
  return got.failure === undefined ? { kind: 'here' } : { kind: 'failed', failure: got.failure };
}
