import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../../src/protocol/messages.ts';
import type { StudyLink } from '../../app/here.ts';
import { ask } from '../../desk/call.ts';
import type { LogVerdict } from '../../desk/watched-study.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { download } from '../../ui/download.ts';
import { Notice, sentence, TroubleNotice } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import { useAct } from '../../ui/use-act.ts';
import { countText, timeText } from '../../ui/words.ts';
import { eventWords } from './event-words.ts';

const SHOWN = 30;

/** Everything that happened to the study, and whether the log holds together. */
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
      const text = await ask('signedLog', [link]);
      download(`audit-log-${link.study}.json`, [text], 'application/json');
    });
  const holds = verdict !== undefined && 'ok' in verdict;
  return (
    <Card
      title="Log"
      about="Every entry holds the digest of the one before it, and the coordinator signs the last. This tab has checked both."
      aside={holds ? <Tag kind="good">holds together</Tag> : undefined}
    >
      {verdict !== undefined && !('ok' in verdict) && (
        <Notice kind="bad" title="The log does not hold together">
          <p>{sentence(verdict.problem)} Keep a copy, and ask who runs the coordinator.</p>
        </Notice>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keys */}
      <section class="log-scroll" tabIndex={0} aria-label="Entries of the log">
        <ol class="log">
          {newest.slice(0, all ? newest.length : SHOWN).map((entry) => (
            <li key={entry.position}>
              <span class="number soft">{entry.position}</span>
              <span>{eventWords(entry)}</span>
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
      {act.trouble !== undefined && <TroubleNotice trouble={act.trouble} />}
    </Card>
  );
}
