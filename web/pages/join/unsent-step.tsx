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
  /** Undefined where nobody can say. */
  readonly waits: boolean | undefined;
  readonly onAgain: () => void;
  readonly onAnotherFile: () => void;
}) {
  const part = useHeadingFocus();
  return (
    <div ref={part}>
      {trouble.code === 'no-token' ? (
        <ShutOut waits={waits === true} />
      ) : (
        <Card title={waits === false ? 'It was not taken' : 'It has no receipt yet'}>
          <TroubleNotice trouble={trouble} />
          <p>{fateOf(waits)}</p>
          <div class="row">
            <Button kind="primary" onClick={onAgain}>
              {waits === false ? 'Begin again' : 'Look at the study, then send again'}
            </Button>
            {waits === false && <Button onClick={onAnotherFile}>Choose another file</Button>}
          </div>
        </Card>
      )}
    </div>
  );
}

function fateOf(waits: boolean | undefined): string {
  if (waits === false) return 'Nothing waits to be sent.';
  const kept =
    waits === true
      ? 'What you approved is kept in this browser.'
      : 'It may have arrived or not, and what you approved may be kept in this browser.';
  return `${kept} Sent again, the same bytes count once, even if they have arrived after all. You can also close this tab and come back.`;
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
