import { useState } from 'preact/hooks';
import { type Acknowledgement, toAcknowledge } from '../../../src/disclosure/acknowledgement.ts';
import type { Audit } from '../../../src/disclosure/rule.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CheckField } from '../../ui/field.tsx';
import { countText } from '../../ui/text.ts';
import type { UploadView } from '../../worker/join-session.ts';
import type { Landing } from '../../worker/landing.ts';
import type { PartyReadingView, ReadingView } from '../../worker/reading-view.ts';
import { AuditCard } from './audit-card.tsx';
import { BudgetCard } from './budget-card.tsx';
import { OutgoingCard } from './outgoing-card.tsx';
import { PartyOutgoingCard } from './party-outgoing-card.tsx';
import { ReadCard } from './read-card.tsx';
import { UploadBar } from './upload-bar.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';

export interface AuditResultProps {
  readonly reading: ReadingView | PartyReadingView;
  readonly landing: Landing;
  /** Sending or saving is under way. */
  readonly busy: boolean;
  readonly upload: UploadView | undefined;
  readonly onAnotherFile: () => void;
  readonly onSend: (acknowledged: readonly Acknowledgement[]) => void;
  readonly onSave: (acknowledged: readonly Acknowledgement[], name: string) => void;
  readonly onTakePart: (acknowledged: readonly Acknowledgement[]) => void;
}

/** The file as read, the verdict of the rules, the contribution; and the approval, unless a rule refuses. */
export function AuditResult(props: AuditResultProps) {
  const { reading, onAnotherFile } = props;
  const [acknowledged, setAcknowledged] = useState<readonly Acknowledgement[]>([]);
  const part = useHeadingFocus();
  const { audit } = reading;
  const budget = 'budget' in reading ? reading.budget : undefined;
  const mark = (one: Acknowledgement, seen: boolean) =>
    setAcknowledged(seen ? [...acknowledged, one] : acknowledged.filter((other) => other !== one));
  return (
    <div ref={part} class="stack join-audited">
      <ReadCard reading={reading} onAnotherFile={onAnotherFile} />
      {budget !== undefined && <BudgetCard budget={budget} />}
      {audit !== undefined && (
        <AuditCard audit={audit} acknowledged={acknowledged} onAcknowledge={mark} />
      )}
      {audit?.outcome !== 'refuse' && (
        <>
          {'exchange' in reading ? (
            <PartyOutgoingCard outgoing={reading.exchange} withoutRules={audit === undefined} />
          ) : (
            <OutgoingCard outgoing={reading.outgoing} withoutRules={audit === undefined} />
          )}
          {audit === undefined && (
            <CheckField
              checked={acknowledged.includes('none')}
              onChange={(seen) => mark('none', seen)}
            >
              I know that no rule has checked this contribution. My rows are public, and it may be
              sent.
            </CheckField>
          )}
          {'exchange' in reading ? (
            <TakePartCard {...props} acknowledged={acknowledged} />
          ) : (
            <ApproveCard {...props} reading={reading} acknowledged={acknowledged} />
          )}
        </>
      )}
    </div>
  );
}

/** Why nothing can be approved yet: something must be acknowledged first. */
function openReason(
  audit: Audit | undefined,
  acknowledged: readonly Acknowledgement[],
): string | undefined {
  const open = toAcknowledge(audit).filter((one) => !acknowledged.includes(one));
  const what = audit === undefined ? 'that no rule applies' : `the warning of ${open.join(', ')}`;
  return open.length === 0 ? undefined : `acknowledge ${what} first`;
}

/** The approval of a party: one button, and the messages shown above leave one after the other. */
function TakePartCard({
  reading: { audit },
  landing: { store },
  acknowledged,
  onAnotherFile,
  onTakePart,
}: AuditResultProps & { readonly acknowledged: readonly Acknowledgement[] }) {
  const disabledReason = openReason(audit, acknowledged);
  const goesOn = 'key' in store && store.exchanging !== undefined;
  return (
    <Card
      title="Approve"
      about="With your approval this tab sends the messages shown above, and nothing else. After the rows are linked the rules look at the linked rows; a new warning is shown before a column leaves."
    >
      {disabledReason !== undefined && (
        <p class="soft" role="status">
          Before you can send, {disabledReason}.
        </p>
      )}
      <div class="row">
        <Button
          kind="primary"
          disabledReason={disabledReason}
          onClick={() => onTakePart(acknowledged)}
        >
          {goesOn ? 'Send what is left and go on' : 'Send these messages and take part'}
        </Button>
        <Button onClick={onAnotherFile}>Do not send</Button>
      </div>
    </Card>
  );
}

/** The approval: one button, one request. */
function ApproveCard({
  reading: { outgoing, audit },
  landing: { host, site, study },
  acknowledged,
  busy,
  upload,
  onAnotherFile,
  onSend,
  onSave,
}: AuditResultProps & {
  readonly reading: ReadingView;
  readonly acknowledged: readonly Acknowledgement[];
}) {
  const disabledReason = openReason(audit, acknowledged);
  const name = `${site.replace(/[^A-Za-z0-9_-]+/g, '_')}.suffice`;
  return (
    <Card
      title="Approve"
      about="With your approval this page sends the file shown above, byte for byte, and nothing else."
    >
      {disabledReason !== undefined && (
        <p class="soft" role="status">
          Before you can send, {disabledReason}.
        </p>
      )}
      <div class="row">
        <Button
          kind="primary"
          disabledReason={disabledReason}
          busy={busy}
          onClick={() => onSend(acknowledged)}
        >
          {`Send ${countText(outgoing.bytes)} bytes to ${host}`}
        </Button>
        {study.promise === undefined && study.parties === undefined && (
          <Button
            disabledReason={disabledReason}
            busy={busy}
            onClick={() => onSave(acknowledged, name)}
          >
            Save the contribution as a file instead
          </Button>
        )}
        <Button busy={busy} onClick={onAnotherFile}>
          Do not send
        </Button>
      </div>
      <UploadBar upload={upload} />
    </Card>
  );
}
