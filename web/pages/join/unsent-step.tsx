import type { Trouble } from '../../desk/trouble.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Notice, TroubleNotice } from '../../ui/notice.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';

/** What was approved and is not acknowledged: it waits, or was refused for good. */
export function UnsentStep({
  trouble,
  waits,
  onAgain,
  onAnotherFile,
}: {
  readonly trouble: Trouble;
  readonly waits: boolean;
  readonly onAgain: () => void;
  readonly onAnotherFile: () => void;
}) {
  const part = useHeadingFocus();
  return (
    <div ref={part}>
      {trouble.code === 'no-token' ? (
        <ShutOut waits={waits} />
      ) : (
        <Card title={waits ? 'It has no receipt yet' : 'It was not taken'}>
          <TroubleNotice trouble={trouble} />
          <p>
            {waits
              ? 'What you approved is kept in this browser. Sent again, the same bytes count once, even if they have arrived after all. You can also close this tab and come back.'
              : 'Nothing waits to be sent.'}
          </p>
          <div class="row">
            <Button kind="primary" onClick={onAgain}>
              {waits ? 'Look at the study, then send again' : 'Begin again'}
            </Button>
            {!waits && <Button onClick={onAnotherFile}>Choose another file</Button>}
          </div>
        </Card>
      )}
    </div>
  );
}

/** The invitation ended between reading and sending; a new one may come, so what was approved is kept. */
function ShutOut({ waits }: { readonly waits: boolean }) {
  return (
    <Card title="It was not taken">
      <Notice kind="bad" title="Your invitation does not work any more.">
        <p>It has expired, or was revoked, or a newer one was made in its place.</p>
      </Notice>
      {waits && (
        <p>
          What you approved is kept in this browser and is not sent by itself. Open a new invitation
          here to send the same bytes, or to discard them.
        </p>
      )}
    </Card>
  );
}
