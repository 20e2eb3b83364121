import { useState } from 'preact/hooks';
import type { StudyState } from '../../../src/protocol/messages.ts';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { download } from '../../ui/download.ts';
import { FailureNotice } from '../../ui/notice.tsx';
import { call } from '../../worker/call.ts';

/** Erases everything the site has sent, after a confirmation, and downloads the signed erasure. */
export function WithdrawButton({
  state,
  noisy,
  onDone,
}: {
  readonly state: StudyState;
  /** In a private study: the published model stays. */
  readonly noisy: boolean;
  readonly onDone: () => void;
}) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<PageFailure>();
  const withdraw = async () => {
    setBusy(true);
    try {
      const erasure = await call('withdrawFromStudy', []);
      const text = `${JSON.stringify(erasure, null, 2)}\n`;
      download(`erasure-${erasure.audit.position}.json`, [text], 'application/json');
      announce('Your site has left the study');
      setAsking(false);
      onDone();
    } catch (error) {
      setAsking(false);
      setFailure(pageFailureOf(error));
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
      {failure !== undefined && <FailureNotice failure={failure} />}
      {asking && (
        <ConfirmDialog
          title="Erase everything your site has sent?"
          action="Withdraw and erase"
          danger
          busy={busy}
          onAnswer={(yes) => (yes ? void withdraw() : setAsking(false))}
        >
          <p>
            The coordinator erases your contributions and signs that it did. The request is signed
            with the key in this browser.
          </p>
          {state === 'resolved' && (
            <p>
              {noisy
                ? 'The published model stays: its noise hides whether your rows are in it.'
                : 'The study resolves again without your site, if the quorum is still met.'}
            </p>
          )}
        </ConfirmDialog>
      )}
    </div>
  );
}
