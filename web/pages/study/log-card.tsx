import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../../src/protocol/messages.ts';
import type { StudyLink } from '../../tab/page-address.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { download } from '../../ui/download.ts';
import { FailureNotice, Notice, sentence } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import { countText, timeText } from '../../ui/text.ts';
import { useAct } from '../../ui/use-act.ts';
import { call } from '../../worker/call.ts';
import type { LogVerdict } from '../../worker/watched-study.ts';
import { logEventText } from './event-text.ts';

const SHOWN = 30;

/** Everything that happened in the study, and whether the log is intact. */
export function LogCard({
  log,
  verdict,
  link,
}: {
  readonly log: readonly AuditEntry[];
  readonly verdict: LogVerdict | undefined;
  readonly link: StudyLink;
}) {
  const [all, setAll] = useState(false);
  const act = useAct();
  const newest = [...log].reverse();
  const keep = () =>
    act.run(async () => {
      const text = await call('signedLog', [link]);
      download(`audit-log-${link.study}.json`, [text], 'application/json');
    });
  const intact = verdict !== undefined && 'ok' in verdict;
  return (
    <Card
      title="Log"
      about="Every entry contains the digest of the entry before it, and the coordinator signs the last one. This tab has checked both."
      aside={intact ? <Tag kind="good">checked</Tag> : undefined}
    >
      {verdict !== undefined && !('ok' in verdict) && (
        <Notice kind="bad" title="The log was changed">
          <p>{sentence(verdict.problem)} Keep a copy, and ask the operator of the coordinator.</p>
        </Notice>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keys */}
      <section class="log-scroll" tabIndex={0} aria-label="Entries of the log">
        <ol class="log">
          {newest.slice(0, all ? newest.length : SHOWN).map((entry) => (
            <li key={entry.position}>
              <span class="number soft">{entry.position}</span>
              <span>{logEventText(entry)}</span>
              <time class="small soft" dateTime={entry.at}>
                {timeText(entry.at)}
              </time>
            </li>
          ))}
        </ol>
      </section>
      <div class="row">
        {newest.length > SHOWN && !all && (
          <Button kind="quiet" onClick={() => setAll(true)}>
            {`Show all ${countText(newest.length)}`}
          </Button>
        )}
        <Button kind="quiet" busy={act.busy} onClick={keep}>
          Download the signed log
        </Button>
      </div>
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
    </Card>
  );
}
