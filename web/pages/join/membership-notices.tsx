import { Button } from '../../ui/button.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import type { Landing } from '../../worker/landing.ts';
import { OwnKey } from './own-key.tsx';

/** Why the page takes no file now; undefined if it does. */
export function noFileReason({
  state,
  store,
  spent,
}: Landing): 'draft' | 'no-store' | 'doubt' | 'strange' | 'waiting' | 'spent' | undefined {
  if (!('key' in store)) return 'no-store';
  if (store.doubt !== undefined) return 'doubt';
  if (store.strange !== undefined) return 'strange';
  if (state === 'draft') return 'draft';
  if (store.waiting !== undefined) return 'waiting';
  return spent ? 'spent' : undefined;
}

/** Notices about the state of the study and of this browser. */
export function MembershipNotices({
  landing,
  result,
  onAgain,
}: {
  readonly landing: Landing;
  readonly result: string;
  readonly onAgain: () => void;
}) {
  const { state, own, store, spent } = landing;
  const closed = !spent && (state === 'closed' || state === 'resolved');
  return (
    <>
      {'key' in store ? (
        store.doubt !== undefined && (
          <Notice
            kind="bad"
            title={`The ledger of this browser cannot be trusted: ${store.doubt.problem}.`}
          >
            <p>{sentence(store.doubt.remedy)}</p>
          </Notice>
        )
      ) : (
        <Notice kind="bad" title={sentence(store.problem)}>
          <p>{sentence(store.remedy)}</p>
        </Notice>
      )}
      {'key' in store && store.strange !== undefined && (
        <Notice kind="bad" title={sentence(store.strange.problem)}>
          <p>{sentence(store.strange.remedy)} Nothing was read, nothing was sent.</p>
          <p>The key of this browser:</p>
          <OwnKey value={store.key} />
        </Notice>
      )}
      {landing.round !== undefined && (
        <Notice kind="info" title={`This is round ${landing.round} of the study.`}>
          <p>
            It starts from the model of the round before. This page has made the round itself from
            the study you were invited to and the signed result, and it is the one that is asked
            for. Your link and what you sent before stay.
          </p>
        </Notice>
      )}
      {landing.result !== undefined && (
        <Notice kind="good" title="There is a result already.">
          <p>
            <a href={result}>See resolution {landing.result}</a>
          </p>
        </Notice>
      )}
      {state === 'draft' && (
        <Notice kind="info" title="The study is not open yet.">
          <p>
            You can read below what the study asks for, and prepare your file. It accepts
            contributions after the analyst has opened it.
          </p>
          <div class="row">
            <Button onClick={onAgain}>Look again</Button>
          </div>
        </Notice>
      )}
      {closed && (
        <Notice kind="warn" title="The study is closed.">
          <p>Contributions sent now are late: they count when a new resolution includes them.</p>
          {landing.problem !== undefined && <p>{sentence(landing.problem)}</p>}
        </Notice>
      )}
      {spent && (
        <Notice kind="warn" title="The privacy budget of the study is spent.">
          <p>
            The study has published everything that its budget allows. Further contributions cannot
            count, so this page takes no file.
          </p>
        </Notice>
      )}
      {own.state === 'withdrawn' && (
        <Notice kind="info" title="You have left this study.">
          <p>Your contributions were erased. You can take part again.</p>
        </Notice>
      )}
      {'key' in store && store.elsewhere > 0 && (
        <Notice kind="warn" title="Your site has already contributed from somewhere else.">
          <p>
            This browser did not send that contribution, or its data were cleared. It signs with
            another key, and the coordinator accepts only the first key of a site. Continue where
            you sent it from, or ask the analyst for an invitation that forgets the old key.
          </p>
        </Notice>
      )}
    </>
  );
}
