import { useState } from 'preact/hooks';
import { significant } from '../../../src/model/number-text.ts';
import { ask } from '../../desk/call.ts';
import type { LedgerTold } from '../../desk/ledger-told.ts';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { download } from '../../ui/download.ts';
import { Notice, TroubleNotice } from '../../ui/notice.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { countText, timeText } from '../../ui/words.ts';
import type { Phase } from './use-visit.ts';

/** What has left from this browser, and what it means that a browser keeps it. */
export function LedgerCard({ phase }: { readonly phase: Phase['at'] }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="join-fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What has left from this browser</summary>
      {open && <Ledger key={phase} />}
    </details>
  );
}

function Ledger() {
  const { value: ledger, trouble } = useAnswer(() => ask('ledgerHere', []), []);
  if (trouble !== undefined) return <TroubleNotice trouble={trouble} />;
  if (ledger === undefined) return <div class="waiting" />;
  return (
    <div class="stack">
      {ledger.doubt !== undefined && (
        <Notice kind="bad" title={`It cannot be trusted: ${ledger.doubt.problem}.`} />
      )}
      {ledger.releases.length === 0 ? (
        <p>Nothing has left, as far as this browser knows.</p>
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
        Each line is sealed and names the one before it, so that a changed line is noticed and
        nothing more leaves. The signing key of your site and this ledger are in this browser only,
        for this coordinator’s address. Clearing the data of this page forgets both: then the study
        needs an invitation that forgets the key, and what would leave cannot be compared with what
        has left.
      </p>
      <div class="row">
        <Button
          onClick={() => download('ledger.jsonl', [ledger.text], 'application/jsonl')}
          barred={ledger.text === '' ? 'nothing has left yet' : undefined}
        >
          Save the ledger (JSON lines)
        </Button>
      </div>
    </div>
  );
}

function Releases({ ledger }: { readonly ledger: LedgerTold }) {
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
