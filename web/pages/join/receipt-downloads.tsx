import type { KeptReceipt } from '../../desk/browser-home.ts';
import { Button } from '../../ui/button.tsx';
import { download } from '../../ui/download.ts';
import { timeText } from '../../ui/words.ts';

/** A receipt to keep outside this browser: what can be checked, and what can be read. */
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
