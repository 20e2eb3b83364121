import type { Trouble } from '../../desk/trouble.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { TroubleNotice } from '../../ui/notice.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';

/** What was approved and is not acknowledged: it waits, or was refused for good. */
export function UnsentStep({
  trouble,
  onAgain,
  onAnotherFile,
}: {
  readonly trouble: Trouble;
  readonly onAgain: () => void;
  readonly onAnotherFile: () => void;
}) {
  const part = useHeadingFocus();
  const waits =
    trouble.kind === 'network' ||
    trouble.code === 'too-many-requests' ||
    trouble.code === 'store-unavailable';
  return (
    <div ref={part}>
      <Card title={waits ? 'It has no receipt yet' : 'It was not taken'}>
        <TroubleNotice trouble={trouble} />
        {waits ? (
          <p>
            What you approved is kept in this browser. Sent again, the same bytes count once, even
            if they have arrived after all. You can also close this tab and come back.
          </p>
        ) : (
          <p>Nothing waits to be sent.</p>
        )}
        <div class="row">
          <Button kind="primary" onClick={onAgain}>
            {waits ? 'Look at the study, then send again' : 'Begin again'}
          </Button>
          {!waits && <Button onClick={onAnotherFile}>Choose another file</Button>}
        </div>
      </Card>
    </div>
  );
}
