import { useState } from 'preact/hooks';
import type { StudyState } from '../../../src/protocol/messages.ts';
import { ask } from '../../desk/call.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { download } from '../../ui/download.ts';
import { TroubleNotice } from '../../ui/notice.tsx';

/** Has all that the site has sent erased, after a question; the signed erasure is given as a file. */
export function WithdrawButton({
  state,
  noisy,
  onDone,
}: {
  readonly state: StudyState;
  /** Of a private study, whose published model stays. */
  readonly noisy: boolean;
  readonly onDone: () => void;
}) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble>();
  const leave = async () => {
    setBusy(true);
    try {
      const erasure = await ask('leaveStudy', []);
      const text = `${JSON.stringify(erasure, null, 2)}\n`;
      download(`erasure-${erasure.audit.position}.json`, [text], 'application/json');
      announce('Your site has left the study');
      setAsking(false);
      onDone();
    } catch (failure) {
      setAsking(false);
      setTrouble(troubleOf(failure));
    }
    setBusy(false);
  };
  return (
    <div class="stack">
      <div class="row">
        <Button kind="danger" onClick={() => setAsking(true)}>
          Withdraw from the study
        </Button>
      </div>
      {trouble !== undefined && <TroubleNotice trouble={trouble} />}
      {asking && (
        <ConfirmDialog
          title="Erase all that your site has sent?"
          action="Withdraw and erase"
          danger
          busy={busy}
          onAnswer={(yes) => (yes ? void leave() : setAsking(false))}
        >
          <p>
            The coordinator erases what you sent and signs that it did. The request is signed with
            the key in this browser.
          </p>
          {state === 'resolved' && (
            <p>
              {noisy
                ? 'The model that was published with noise remains: it hides whether your rows are in it.'
                : 'The study resolves again without it, if its quorum still holds.'}
            </p>
          )}
        </ConfirmDialog>
      )}
    </div>
  );
}
