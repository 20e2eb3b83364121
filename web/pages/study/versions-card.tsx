import { addressOf } from '../../tab/own-address.ts';
import type { StudyLink } from '../../tab/page-address.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { countText, timeText } from '../../ui/text.ts';
import { useAnswer } from '../../ui/use-answer.ts';
import { call } from '../../worker/call.ts';
import type { WatchedStudy } from '../../worker/watched-study.ts';

/** The numbered resolutions of a study; they never change. */
export function VersionsCard({
  view,
  link,
}: {
  readonly view: WatchedStudy;
  readonly link: StudyLink;
}) {
  const newest = view.resolution?.number ?? 0;
  const { value, failure } = useAnswer(
    async () => (newest === 0 ? [] : call('fetchResolutions', [link])),
    [newest, link],
  );
  if (newest === 0) return null;
  return (
    <Card
      title="Resolutions"
      about="Each resolution is numbered and signed, and never changes. A new one is made when the contributions have changed."
    >
      {failure !== undefined && <FailureNotice failure={failure} />}
      {value !== undefined && value.length > 0 && (
        <DataTable
          label="Resolutions"
          columns={[
            { name: 'Number' },
            { name: 'Made' },
            { name: 'Rows', numeric: true },
            { name: 'Sites', numeric: true },
            { name: 'Digest' },
          ]}
          rows={value.map(({ number, resolvedAt, rows, sites, digest }) => [
            { value: number, shown: <a href={addressOf('result', link)}>{number}</a> },
            { value: resolvedAt, shown: <span class="unbroken">{timeText(resolvedAt)}</span> },
            { value: rows ?? null, shown: rows === undefined ? 'not shown' : countText(rows) },
            { value: sites },
            { value: digest, shown: <span class="digest unbroken">{digest}</span> },
          ])}
          stacks
        />
      )}
    </Card>
  );
}
