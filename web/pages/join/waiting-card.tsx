import { useState } from 'preact/hooks';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Digest } from '../../ui/digest.tsx';
import { Facts } from '../../ui/facts.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { countText, timeText } from '../../ui/text.ts';
import type { SentView } from '../../worker/approval.ts';
import { call } from '../../worker/call.ts';
import type { UploadView } from '../../worker/join-session.ts';
import type { Landing } from '../../worker/landing.ts';
import { UploadBar } from './upload-bar.tsx';

/** An approved contribution without a receipt. It can be sent again; the same bytes count once. */
export function WaitingCard({
  landing: { store, host },
  onSent,
  onAgain,
}: {
  readonly landing: Landing;
  readonly onSent: (sent: SentView) => void;
  readonly onAgain: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const [upload, setUpload] = useState<UploadView>();
  const [over, setOver] = useState(false);
  const [failure, setFailure] = useState<PageFailure>();
  if (!('key' in store) || store.waiting === undefined || store.doubt !== undefined || over)
    return null;
  const { release, approvedAt, file } = store.waiting;
  const act = async (work: () => Promise<void>) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      setFailure(pageFailureOf(error));
    }
    setBusy(false);
  };
  const send = () =>
    act(async () => {
      const sent = await call('sendAgain', [], { onUpdate: setUpload });
      if (sent === undefined) return onAgain();
      setOver(true);
      onSent(sent);
    });
  const discard = () =>
    act(async () => {
      await call('discardWaiting', []);
      onAgain();
    });
  return (
    <Card
      title="You approved a contribution that has no receipt yet"
      about="The connection to the coordinator was lost. The contribution may have arrived or not. You can send it again: the same bytes count once."
    >
      <Facts
        facts={[
          ['approved', timeText(approvedAt)],
          ['from file', file],
          ['size', `${countText(release.bytes)} bytes`],
          ['rows', countText(release.rows)],
        ]}
      />
      <Digest text={release.digest} />
      {failure !== undefined && <FailureNotice failure={failure} />}
      <div class="row">
        <Button kind="primary" busy={busy} onClick={() => void send()}>
          {`Send the same ${countText(release.bytes)} bytes to ${host} again`}
        </Button>
        <Button busy={busy} onClick={() => void discard()}>
          Discard it
        </Button>
      </div>
      <UploadBar upload={busy ? upload : undefined} />
    </Card>
  );
}
