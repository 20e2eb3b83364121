import { useState } from 'preact/hooks';
import { significant } from '../../../src/text/number-text.ts';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { download } from '../../ui/download.ts';
import { FailureNotice, Notice } from '../../ui/notice.tsx';
import { countText, timeText } from '../../ui/text.ts';
import { useAnswer } from '../../ui/use-answer.ts';
import { call } from '../../worker/call.ts';
import type { SiteLedgerView } from '../../worker/ledger-view.ts';
import type { Phase } from './use-session.ts';

/** Everything this browser has sent, and what it means that a browser keeps the ledger. */
export function LedgerCard({ phase }: { readonly phase: Phase['at'] }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="join-fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Everything this browser has sent</summary>
      {open && <Ledger key={phase} />}
    </details>
  );
}

function Ledger() {
  const { value: ledger, failure } = useAnswer(() => call('loadLedger', []), []);
  if (failure !== undefined) return <FailureNotice failure={failure} />;
  if (ledger === undefined) return <div class="waiting" />;
  return (
    <div class="stack">
      {ledger.doubt !== undefined && (
        <Notice kind="bad" title={`The ledger cannot be trusted: ${ledger.doubt.problem}.`} />
      )}
      {ledger.releases.length === 0 ? (
        <p>This browser has sent nothing, according to its ledger.</p>
      ) : (
        <Releases ledger={ledger} />
      )}
      {ledger.spent.map(({ releases, mu, epsilon }) => (
        <p key={`${releases} ${mu}`}>
          In{' '}
          {releases === 1 ? 'one private release' : `${releases} private releases that share rows`}{' '}
          a row has spent at most μ&nbsp;{significant(mu, 3)}, which is ε&nbsp;
          {significant(epsilon, 3)} at δ&nbsp;=&nbsp;{ledger.delta}.
        </p>
      ))}
      <p class="soft">
        Each line is sealed and names the line before it. If a line was changed, the page notices it
        and sends nothing more. The signing key of your site and this ledger are only in this
        browser, for this coordinator’s address. If you clear the data of this page, both are lost:
        you then need an invitation that forgets the old key, and new contributions can no longer be
        compared with earlier ones.
      </p>
      <div class="row">
        <Button
          onClick={() => download('ledger.jsonl', [ledger.text], 'application/jsonl')}
          disabledReason={ledger.text === '' ? 'nothing was sent yet' : undefined}
        >
          Save the ledger (JSON lines)
        </Button>
      </div>
    </div>
  );
}

function Releases({ ledger }: { readonly ledger: SiteLedgerView }) {
  return (
    <DataTable
      label="Releases from this browser"
      columns={[
        { name: 'when' },
        { name: 'study' },
        { name: 'site' },
        { name: 'outcome' },
        { name: 'rows', numeric: true },
        { name: 'bytes', numeric: true },
        { name: 'to' },
        { name: 'digest' },
      ]}
      rows={ledger.releases.map(({ at, study, site, outcome, rows, bytes, to, digest }) => [
        { value: at, shown: <span class="join-line">{timeText(at)}</span> },
        { value: study, shown: <code>{study}</code> },
        { value: site },
        { value: outcome },
        { value: rows, shown: countText(rows) },
        { value: bytes, shown: countText(bytes) },
        { value: to ?? '' },
        { value: digest, shown: <span class="digest join-line">{digest}</span> },
      ])}
      copyable
      stacks
    />
  );
}
