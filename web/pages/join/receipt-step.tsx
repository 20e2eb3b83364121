import type { Sent } from '../../desk/approval.ts';
import type { Arrival } from '../../desk/arrival.ts';
import { Card } from '../../ui/card.tsx';
import { Digest } from '../../ui/digest.tsx';
import { Facts } from '../../ui/facts.tsx';
import { countText, timeText } from '../../ui/words.ts';
import { ReceiptDownloads } from './receipt-downloads.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';
import { WithdrawButton } from './withdraw-button.tsx';

/** The coordinator has it and says so under its seal. */
export function ReceiptStep({
  sent,
  arrival: { state, study },
  result,
  onAgain,
}: {
  readonly sent: Sent;
  readonly arrival: Arrival;
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
            ? 'It came after the study had closed: it counts once a new resolution includes it.'
            : 'You are done. The model is made when every site has contributed, or at the deadline.'
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
          The signature was checked here: it is of the coordinator whose key is in your link,{' '}
          <span class="digest">{receipt.seal.key}</span>. This browser keeps the receipt; save a
          copy of your own.
        </p>
        <ReceiptDownloads kept={sent} />
        <details>
          <summary>The receipt in words</summary>
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
