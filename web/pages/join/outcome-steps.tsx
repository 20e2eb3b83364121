import type { PageFailure } from '../../page-failure.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Digest } from '../../ui/digest.tsx';
import { download } from '../../ui/download.ts';
import { Facts } from '../../ui/facts.tsx';
import { FailureNotice, Notice } from '../../ui/notice.tsx';
import { countText, timeText } from '../../ui/text.ts';
import type { SentView } from '../../worker/approval.ts';
import type { KeptReceipt } from '../../worker/browser-site-store.ts';
import type { Landing } from '../../worker/landing.ts';
import { useHeadingFocus } from './use-heading-focus.ts';
import { WithdrawButton } from './withdraw-button.tsx';

/** After approval: the coordinator has the contribution and signed a receipt. */
export function ReceiptStep({
  sent,
  landing: { state, study },
  result,
  onAgain,
}: {
  readonly sent: SentView;
  readonly landing: Landing;
  readonly result: string;
  readonly onAgain: () => void;
}) {
  const part = useHeadingFocus();
  const { receipt, text } = sent;
  return (
    <div ref={part} class="stack">
      <Card
        title="Sent and acknowledged"
        about={
          receipt.late
            ? 'It arrived after the study had closed. It counts when a new resolution includes it.'
            : 'You are done. The model is computed when every site has contributed, or at the deadline.'
        }
      >
        <Facts
          facts={[
            ['received', timeText(receipt.receivedAt)],
            ['contribution', `number ${receipt.sequence}`],
            ['size', `${countText(receipt.bytes)} bytes`],
            ['audit log', `entry ${receipt.audit.position}`],
          ]}
        />
        <Digest text={receipt.digest} />
        <p>
          This page has checked the signature: it is from the coordinator whose key is in your link,{' '}
          <span class="digest">{receipt.seal.key}</span>. This browser keeps the receipt; save your
          own copy.
        </p>
        <ReceiptDownloads kept={sent} />
        <details>
          <summary>The receipt as text</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keys */}
          <pre class="code" tabIndex={0}>
            {text}
          </pre>
        </details>
        <p>
          <a href={result}>The result, when there is one</a>
        </p>
        <WithdrawButton state={state} noisy={study.promise !== undefined} onDone={onAgain} />
      </Card>
    </div>
  );
}

/** A receipt to save outside this browser: as JSON to check, as text to read. */
export function ReceiptDownloads({ kept: { receipt, text } }: { readonly kept: KeptReceipt }) {
  const name = `receipt-${receipt.site.replace(/[^A-Za-z0-9_-]+/g, '_')}-${receipt.sequence}`;
  const json = () =>
    download(`${name}.json`, [`${JSON.stringify(receipt, null, 2)}\n`], 'application/json');
  return (
    <div class="row">
      <span>
        Receipt {receipt.sequence}, {timeText(receipt.receivedAt)}
      </span>
      <Button kind="quiet" onClick={json} label={`Save as JSON: receipt ${receipt.sequence}`}>
        Save as JSON
      </Button>
      <Button
        kind="quiet"
        onClick={() => download(`${name}.txt`, [text], 'text/plain')}
        label={`Save as text: receipt ${receipt.sequence}`}
      >
        Save as text
      </Button>
    </div>
  );
}

/** After approval: the contribution was saved as a file instead of sent. */
export function SavedStep({
  name,
  onAgain,
}: {
  readonly name: string;
  readonly onAgain: () => void;
}) {
  const part = useHeadingFocus();
  return (
    <div ref={part}>
      <Card
        title="Saved as a file"
        about="No request was made. The ledger of this browser records the file as sent."
      >
        <p>
          Give <code>{name}</code> to the analyst, who combines it with the files of other sites:
        </p>
        <pre class="code">suffice combine STUDY.json {name} …</pre>
        <div class="row">
          <Button onClick={onAgain}>Back to the study</Button>
        </div>
      </Card>
    </div>
  );
}

/** After approval: there is no receipt. The contribution waits, or was refused. */
export function UnsentStep({
  failure,
  waits,
  onAgain,
  onAnotherFile,
}: {
  readonly failure: PageFailure;
  /** Undefined if unknown. */
  readonly waits: boolean | undefined;
  readonly onAgain: () => void;
  readonly onAnotherFile: () => void;
}) {
  const part = useHeadingFocus();
  return (
    <div ref={part}>
      {failure.code === 'no-token' ? (
        <InvitationEnded waits={waits === true} />
      ) : (
        <Card title={waits === false ? 'It was not accepted' : 'It has no receipt yet'}>
          <FailureNotice failure={failure} />
          <p>{waitingText(waits)}</p>
          <div class="row">
            <Button kind="primary" onClick={onAgain}>
              {waits === false ? 'Begin again' : 'Look at the study, then send again'}
            </Button>
            {waits === false && <Button onClick={onAnotherFile}>Choose another file</Button>}
          </div>
        </Card>
      )}
    </div>
  );
}

function waitingText(waits: boolean | undefined): string {
  if (waits === false) return 'No contribution is waiting to be sent.';
  const kept =
    waits === true
      ? 'The approved contribution is kept in this browser.'
      : 'It may have arrived or not. The approved contribution may be kept in this browser.';
  return `${kept} You can send it again: the same bytes count only once, even if they have already arrived. You can also close this tab and come back.`;
}

/** The invitation ended between reading and sending. The contribution is kept, because a new invitation may come. */
function InvitationEnded({ waits }: { readonly waits: boolean }) {
  return (
    <Card title="It was not accepted">
      <Notice kind="bad" title="Your invitation no longer works.">
        <p>It has expired, was revoked, or was replaced by a newer one.</p>
      </Notice>
      {waits && (
        <p>
          The approved contribution is kept in this browser and is not sent automatically. Open a
          new invitation here to send the same bytes, or to discard them.
        </p>
      )}
    </Card>
  );
}
