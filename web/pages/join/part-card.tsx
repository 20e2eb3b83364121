import { useId } from 'preact/hooks';
import type { Arrival } from '../../desk/arrival.ts';
import { Card } from '../../ui/card.tsx';
import { countText } from '../../ui/words.ts';
import { ReceiptDownloads } from './receipt-downloads.tsx';
import { WithdrawButton } from './withdraw-button.tsx';

/** A site that has contributed: its receipts, a way out, and what a further file would be. */
export function PartCard({
  arrival,
  again,
  onChoose,
  onAgain,
}: {
  readonly arrival: Arrival;
  readonly again: 'add' | 'replace' | undefined;
  readonly onChoose: (again: 'add' | 'replace') => void;
  readonly onAgain: () => void;
}) {
  const { own, home, state, study, spent } = arrival;
  const receipts = 'key' in home ? home.receipts : [];
  const counts = own.n === undefined ? '' : ` ${countText(own.n)} rows count.`;
  return (
    <Card
      title="Your site has contributed"
      about={`You are done${spent ? '' : ' unless you have more to send'}.${counts}${own.late > 0 ? ' What came late waits for a new resolution.' : ''}`}
    >
      {receipts.map((kept) => (
        <ReceiptDownloads key={kept.receipt.sequence} kept={kept} />
      ))}
      {!spent && <FurtherFile again={again} onChoose={onChoose} />}
      {'key' in home && home.elsewhere === 0 && (
        <WithdrawButton state={state} noisy={study.promise !== undefined} onDone={onAgain} />
      )}
    </Card>
  );
}

const ways = [
  ['add', 'My file holds new rows only', 'They count beside those you sent before.'],
  [
    'replace',
    'My file holds all rows',
    'It stands in place of all you sent before, which is erased.',
  ],
] as const;

function FurtherFile({
  again,
  onChoose,
}: {
  readonly again: 'add' | 'replace' | undefined;
  readonly onChoose: (again: 'add' | 'replace') => void;
}) {
  const name = useId();
  return (
    <fieldset>
      <legend>To send more, say what your file is</legend>
      {ways.map(([way, title, about]) => (
        <label key={way} class="check">
          <input
            type="radio"
            name={name}
            value={way}
            checked={again === way}
            onChange={() => onChoose(way)}
          />
          <span>
            {title}. <span class="soft">{about}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
