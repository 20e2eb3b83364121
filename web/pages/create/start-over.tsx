import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';

/** Empties the form, after a confirmation. */
export function StartOver({ onStart }: { readonly onStart: () => void }) {
  const [asking, setAsking] = useState(false);
  const answer = (yes: boolean) => {
    setAsking(false);
    if (yes) onStart();
  };
  return (
    <div class="row">
      <Button kind="quiet" onClick={() => setAsking(true)}>
        Start over
      </Button>
      {asking && (
        <ConfirmDialog title="Empty the form?" action="Empty it" danger onAnswer={answer}>
          <p>What you have written here will be lost. None of it was sent.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
