import { useState } from 'preact/hooks';
import { type StudyLink, sharedLink } from '../../tab/page-address.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { useAct } from '../../ui/use-act.ts';
import { call } from '../../worker/call.ts';
import { NewLink } from './new-link.tsx';

/** A new link for the analyst, for one that may be in other hands. */
export function OwnLink({ link }: { readonly link: StudyLink }) {
  const act = useAct();
  const [asking, setAsking] = useState(false);
  const [address, setAddress] = useState<string>();
  const answer = (yes: boolean) => {
    if (!yes) return setAsking(false);
    act.run(async () => {
      try {
        const token = await call('requestAdminRenewal', [link]);
        setAddress(sharedLink('study', { ...link, token }));
      } finally {
        setAsking(false);
      }
    });
  };
  const done = () => {
    // The operator's own secret still opens the study; the analyst's old one does not.
    if (link.token.startsWith('sfc_') && address !== undefined) {
      location.replace(address);
      location.reload();
    }
    setAddress(undefined);
  };
  return (
    <div class="step">
      <p>Somebody else may have the analyst’s link? A new one ends it.</p>
      <Button busy={act.busy} onClick={() => setAsking(true)}>
        Renew the analyst’s link
      </Button>
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
      {address !== undefined && <NewLink site="the analyst" link={address} onDone={done} />}
      {asking && (
        <ConfirmDialog
          title="Renew the analyst’s link?"
          action="Make the new link"
          danger
          busy={act.busy}
          onAnswer={answer}
        >
          <p>
            The present link stops working at once, everywhere. The new one is shown once: keep it.
            If it is lost, the operator of the coordinator can make another.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
