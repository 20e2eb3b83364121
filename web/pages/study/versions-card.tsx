import { addressOf, type StudyLink } from '../../app/here.ts';
import { ask } from '../../desk/call.ts';
import type { WatchedStudy } from '../../desk/watched-study.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { TroubleNotice } from '../../ui/notice.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { countText, timeText } from '../../ui/words.ts';

/** The numbered answers of a study; none of them ever changes. */
export function VersionsCard({
  view,
  link,
}: {
  readonly view: WatchedStudy;
  readonly link: StudyLink;
}) {
  const newest = view.resolution?.number ?? 0;
  const { value, trouble } = useAnswer(
    async () => (newest === 0 ? [] : ask('listResolutions', [link])),
    [newest, link],
  );
  if (newest === 0) return null;
  return (
    <Card
      title="Resolutions"
      about="Each is numbered, signed and stays as it is. A new one is made when what counts has changed."
    >
      {trouble !== undefined && <TroubleNotice trouble={trouble} />}
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
            { value: rows ?? null, shown: rows === undefined ? 'not told' : countText(rows) },
            { value: sites },
            { value: digest, shown: <span class="digest unbroken">{digest}</span> },
          ])}
          stacks
        />
      )}
    </Card>
  );
}
