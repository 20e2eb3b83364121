import type { Arrival } from '../../desk/arrival.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';

/** Why no file is taken now; undefined where one is. */
export function barredBy({
  state,
  home,
  spent,
}: Arrival): 'draft' | 'homeless' | 'doubt' | 'waiting' | 'spent' | undefined {
  if (!('key' in home)) return 'homeless';
  if (home.doubt !== undefined) return 'doubt';
  if (state === 'draft') return 'draft';
  if (home.waiting !== undefined) return 'waiting';
  return spent ? 'spent' : undefined;
}

/** What of the study's and the browser's state is to be known first. */
export function StandingNotices({
  arrival,
  result,
  onAgain,
}: {
  readonly arrival: Arrival;
  readonly result: string;
  readonly onAgain: () => void;
}) {
  const { state, own, home, spent } = arrival;
  const closed = !spent && (state === 'closed' || state === 'resolved');
  return (
    <>
      {'key' in home ? (
        home.doubt !== undefined && (
          <Notice
            kind="bad"
            title={`The ledger of this browser cannot be trusted: ${home.doubt.problem}.`}
          >
            <p>{sentence(home.doubt.remedy)}</p>
          </Notice>
        )
      ) : (
        <Notice kind="bad" title={sentence(home.problem)}>
          <p>{sentence(home.remedy)}</p>
        </Notice>
      )}
      {arrival.result !== undefined && (
        <Notice kind="good" title="There is a result already.">
          <p>
            <a href={result}>See resolution {arrival.result}</a>
          </p>
        </Notice>
      )}
      {state === 'draft' && (
        <Notice kind="info" title="The study is not open yet.">
          <p>
            You can read what it asks below and prepare your file. It takes contributions once who
            runs it has opened it.
          </p>
          <div class="row">
            <Button onClick={onAgain}>Look again</Button>
          </div>
        </Notice>
      )}
      {closed && (
        <Notice kind="warn" title="The study is closed.">
          <p>What you send now is kept apart as late, until a new resolution includes it.</p>
          {arrival.problem !== undefined && <p>{sentence(arrival.problem)}</p>}
        </Notice>
      )}
      {spent && (
        <Notice kind="warn" title="The privacy budget of the study is spent.">
          <p>
            All that it promised to publish is published. Nothing more that you send could count, so
            no file is taken.
          </p>
        </Notice>
      )}
      {own.state === 'withdrawn' && (
        <Notice kind="info" title="You have left this study.">
          <p>What you had sent was erased. You can take part again.</p>
        </Notice>
      )}
      {'key' in home && home.elsewhere > 0 && (
        <Notice kind="warn" title="The study has had a contribution of your site from elsewhere.">
          <p>
            This browser did not send it, or has forgotten that it did. It signs with another key,
            and the coordinator takes only the first one: ask who runs the study for an invitation
            that forgets the old key, or go on where you sent it from.
          </p>
        </Notice>
      )}
    </>
  );
}
