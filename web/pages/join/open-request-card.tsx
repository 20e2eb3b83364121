import { useState } from 'preact/hooks';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { useAct } from '../../ui/use-act.ts';
import { call } from '../../worker/call.ts';
import type { Landing } from '../../worker/landing.ts';

const abouts: Readonly<Record<NonNullable<Landing['opening']>['own'], string>> = {
  asked: 'You need not. Read first what it means.',
  elsewhere: 'You can agree where you sent it from: this browser has no receipt of it.',
  answered: 'Your site has agreed. What is known of each site:',
};

/** A site that is asked to open what it sent: what this means, and the button to agree. */
export function OpenRequestCard({
  landing: { opening },
  onAgain,
}: {
  readonly landing: Landing;
  readonly onAgain: () => void;
}) {
  const act = useAct();
  const [asking, setAsking] = useState(false);
  if (opening === undefined) return null;
  const answer = (yes: boolean) => {
    if (!yes) return setAsking(false);
    act.run(async () => {
      try {
        await call('agreeToBeOpened', []);
        announce('Your site has agreed');
        onAgain();
      } finally {
        setAsking(false);
      }
    });
  };
  return (
    <Card title="The analyst asks you to open what you sent" about={abouts[opening.own]}>
      {opening.own === 'asked' && (
        <>
          {opening.before.map((text) => (
            <p key={text}>{text}</p>
          ))}
          <div class="row">
            <Button onClick={() => setAsking(true)}>Agree to open</Button>
          </div>
        </>
      )}
      <ul>
        {opening.lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
      {asking && (
        <ConfirmDialog
          title="Let the coordinator see your statistic?"
          action="Agree to open"
          danger
          busy={act.busy}
          onAnswer={answer}
        >
          <p>
            One signed message is sent. The coordinator then sees sums over your rows, as in a plain
            study. This cannot be taken back.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
