import { useId } from 'preact/hooks';
import { Card } from '../../ui/card.tsx';
import { countText } from '../../ui/text.ts';
import type { Landing } from '../../worker/landing.ts';
import { ReceiptDownloads } from './outcome-steps.tsx';
import { WithdrawButton } from './withdraw-button.tsx';

/** A site that has contributed: its receipts, a further file, and withdrawal. */
export function ContributedCard({
  landing,
  again,
  onChoose,
  onAgain,
}: {
  readonly landing: Landing;
  readonly again: 'add' | 'replace' | undefined;
  readonly onChoose: (again: 'add' | 'replace') => void;
  readonly onAgain: () => void;
}) {
  const { own, store, state, study, masked, partitioned } = landing;
  const spent = landing.spent || masked || partitioned;
  const receipts = 'key' in store ? store.receipts : [];
  const about = [
    spent ? 'You are done.' : 'You are done, unless you have more to send.',
    own.n === undefined ? '' : `${countText(own.n)} of your rows count.`,
    own.late > 0 ? 'Late contributions wait for a new resolution.' : '',
  ];
  return (
    <Card title="Your site has contributed" about={about.filter((text) => text !== '').join(' ')}>
      {receipts.map((kept) => (
        <ReceiptDownloads key={kept.receipt.sequence} kept={kept} />
      ))}
      {!spent && <FurtherFile again={again} onChoose={onChoose} />}
      {'key' in store && store.elsewhere === 0 && (
        <WithdrawButton state={state} noisy={study.promise !== undefined} onDone={onAgain} />
      )}
    </Card>
  );
}

const ways = [
  ['add', 'My file has only new rows', 'They are added to the rows you sent before.'],
  ['replace', 'My file has all rows', 'It replaces everything you sent before, which is erased.'],
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
      <legend>To send more, say what is in your file</legend>
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
