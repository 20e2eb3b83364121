import { useEffect, useState } from 'preact/hooks';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FailureNotice, sentence } from '../../ui/notice.tsx';
import { call } from '../../worker/call.ts';

/** After the contribution of a site that agrees on masks: the tab waits for the others and helps to open the sum. */
export function HelpingCard() {
  const [said, setSaid] = useState('waiting for the other sites');
  const [failure, setFailure] = useState<PageFailure>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    setFailure(undefined);
    call('helpToOpenSum', [], { signal: control.signal, onUpdate: setSaid }).then(
      () => setSaid('done: this tab can be closed'),
      (error) => {
        if (!control.signal.aborted) setFailure(pageFailureOf(error));
      },
    );
    return () => control.abort();
  }, [turn]);
  return (
    <Card
      title="Helping to open the sum"
      about="Your numbers are hidden by masks that the sites agreed on. When all have contributed, each site takes part once more, and the sum can be opened. Leave this tab open, or come back later: it goes on where it was."
    >
      <p role="status">{sentence(said)}</p>
      {failure !== undefined && (
        <>
          <FailureNotice failure={failure} />
          <div class="row">
            <Button onClick={() => setTurn(turn + 1)}>Try again</Button>
          </div>
        </>
      )}
    </Card>
  );
}
