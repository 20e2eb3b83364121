import { useEffect, useState } from 'preact/hooks';
import { isSite, type StudyLink } from '../../app/here.ts';
import { ask } from '../../desk/call.ts';
import type { ShownResult } from '../../desk/result-overview.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';

/** Whether the exact sums behind a result are at hand in the desk. */
export type TotalState =
  | { readonly kind: 'here' }
  | { readonly kind: 'fetching' }
  /** Too large to be fetched unasked. */
  | { readonly kind: 'large'; readonly bytes: number; readonly fetch: () => void }
  | { readonly kind: 'absent'; readonly why: WithoutTotal }
  | { readonly kind: 'trouble'; readonly trouble: Trouble };

/** Who is shown nothing made of the total: a site; else everyone, by the method. */
export type WithoutTotal = 'site' | NonNullable<ShownResult['withoutTotal']>;

/** Bytes up to which the total is fetched without asking. */
const MODEST = 16e6;

/** Fetches the total for who runs the study; its digest is checked before anything is made of it. */
export function useTotal(link: StudyLink, shown: ShownResult | undefined): TotalState {
  const [asked, setAsked] = useState(false);
  const [got, setGot] = useState<{ readonly of: ShownResult; readonly trouble?: Trouble }>();
  const why = isSite(link) ? 'site' : shown?.withoutTotal;
  const wanted = why === undefined && shown !== undefined && (asked || shown.totalBytes <= MODEST);
  useEffect(() => {
    if (!wanted || shown === undefined) return;
    let current = true;
    const { studyDigest, number } = shown.resolution;
    ask('fetchTotal', [link, studyDigest, number]).then(
      () => current && setGot({ of: shown }),
      (failure) => current && setGot({ of: shown, trouble: troubleOf(failure) }),
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
  return got.trouble === undefined ? { kind: 'here' } : { kind: 'trouble', trouble: got.trouble };
}
