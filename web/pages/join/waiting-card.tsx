import { useState } from 'preact/hooks';
import type { Sent } from '../../desk/approval.ts';
import type { Arrival } from '../../desk/arrival.ts';
import { ask } from '../../desk/call.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Digest } from '../../ui/digest.tsx';
import { Facts } from '../../ui/facts.tsx';
import { TroubleNotice } from '../../ui/notice.tsx';
import { countText, timeText } from '../../ui/words.ts';

/** What was approved here and has no receipt: the way was cut. The same bytes can go again, and count once. */
export function WaitingCard({
  arrival: { home, host },
  onSent,
  onAgain,
}: {
  readonly arrival: Arrival;
  readonly onSent: (sent: Sent) => void;
  readonly onAgain: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const [over, setOver] = useState(false);
  const [trouble, setTrouble] = useState<Trouble>();
  if (!('key' in home) || home.waiting === undefined || home.doubt !== undefined || over)
    return null;
  const { release, approvedAt, file } = home.waiting;
  const act = async (work: () => Promise<void>) => {
    setBusy(true);
    setTrouble(undefined);
    try {
      await work();
    } catch (failure) {
      setTrouble(troubleOf(failure));
    }
    setBusy(false);
  };
  const send = () =>
    act(async () => {
      const sent = await ask('sendAgain', []);
      if (sent === undefined) return onAgain();
      setOver(true);
      onSent(sent);
    });
  const discard = () =>
    act(async () => {
      await ask('discardWaiting', []);
      onAgain();
    });
  return (
    <Card
      title="You approved a contribution that has no receipt yet"
      about="The way to the coordinator was cut. It may have arrived or not: sent again, the same bytes count once."
    >
      <Facts
        facts={[
          ['approved', timeText(approvedAt)],
          ['made of', file],
          ['size', `${countText(release.bytes)} bytes`],
          ['rows', countText(release.rows)],
        ]}
      />
      <Digest text={release.digest} />
      {trouble !== undefined && <TroubleNotice trouble={trouble} />}
      <div class="row">
        <Button kind="primary" busy={busy} onClick={() => void send()}>
          {`Send the same ${countText(release.bytes)} bytes to ${host} again`}
        </Button>
        <Button busy={busy} onClick={() => void discard()}>
          Discard it
        </Button>
      </div>
    </Card>
  );
}
