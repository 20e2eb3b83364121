import { useState } from 'preact/hooks';
import type { SiteStatus } from '../../../src/protocol/messages.ts';
import { type StudyLink, sharedLink } from '../../tab/page-address.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CheckField } from '../../ui/field.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { useAct } from '../../ui/use-act.ts';
import { call } from '../../worker/call.ts';
import { NewLink } from './new-link.tsx';

type Question = 'invite' | 'revoke' | 'withdraw';

/** Actions for one site. */
export function SiteActions({
  site: { name, state, late },
  link,
}: {
  readonly site: SiteStatus;
  readonly link: StudyLink;
}) {
  const [question, setQuestion] = useState<Question>();
  const [forgetKey, setForgetKey] = useState(false);
  const [secret, setSecret] = useState<string>();
  const act = useAct();
  const answer = (yes: boolean) => {
    if (!yes) {
      setQuestion(undefined);
      return;
    }
    act.run(async () => {
      try {
        if (question === 'invite') {
          const invitation = await call('requestInvitation', [
            link,
            name,
            forgetKey ? { forgetKey } : {},
          ]);
          setSecret(sharedLink('join', { ...link, ...invitation }));
        } else if (question === 'revoke') {
          await call('requestRevocation', [link, name]);
          announce(`The links of ${name} no longer work`);
        } else {
          await call('eraseSite', [link, name]);
          announce(`What ${name} sent is erased`);
        }
      } finally {
        setQuestion(undefined);
        setForgetKey(false);
      }
    });
  };
  const sent = state === 'contributed' || late > 0;
  return (
    <div class="site-actions">
      <div class="row">
        <Button kind="quiet" label={`New link for ${name}`} onClick={() => setQuestion('invite')}>
          New link
        </Button>
        {state !== 'revoked' && (
          <Button
            kind="quiet"
            label={`Revoke the links of ${name}`}
            onClick={() => setQuestion('revoke')}
          >
            Revoke
          </Button>
        )}
        {sent && (
          <Button
            kind="quiet danger"
            label={`Erase what ${name} sent`}
            onClick={() => setQuestion('withdraw')}
          >
            Erase
          </Button>
        )}
      </div>
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
      {secret !== undefined && (
        <NewLink site={name} link={secret} onDone={() => setSecret(undefined)} />
      )}
      {question === 'invite' && (
        <ConfirmDialog
          title={`A new link for ${name}`}
          action="Make the link"
          busy={act.busy}
          onAnswer={answer}
        >
          <p>Its earlier links stop working. What it has contributed stays.</p>
          <CheckField checked={forgetKey} onChange={setForgetKey}>
            Forget its key: the site has lost it and will sign with a new one
          </CheckField>
        </ConfirmDialog>
      )}
      {question === 'revoke' && (
        <ConfirmDialog
          title={`Revoke the links of ${name}?`}
          action="Revoke"
          danger
          busy={act.busy}
          onAnswer={answer}
        >
          <p>
            {name} can no longer take part
            {sent ? '; its contributions stay until you erase them' : ''}. With a new link it can
            take part again.
          </p>
        </ConfirmDialog>
      )}
      {question === 'withdraw' && (
        <ConfirmDialog
          title={`Erase what ${name} sent?`}
          action="Erase it"
          danger
          busy={act.busy}
          onAnswer={answer}
        >
          <p>
            Its contributions are erased from the coordinator. This cannot be undone. If the study
            has resolved, it resolves again without this site; earlier resolutions do not change.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
