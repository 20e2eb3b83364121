import { significant } from '../../../src/model/number-text.ts';
import { Histogram } from '../../charts/histogram.tsx';
import { LevelBars } from '../../charts/level-bars.tsx';
import type { ColumnRead, ReadingTold } from '../../desk/reading-told.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Cell, DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { countText } from '../../ui/words.ts';

/** What was read, for the eyes of the site alone. */
export function ReadCard({
  reading,
  onAnotherFile,
}: {
  readonly reading: ReadingTold;
  readonly onAnotherFile: () => void;
}) {
  const { file, rows, used, dropped, missing, clipped, columns } = reading;
  return (
    <Card
      title="What I read"
      about="Shown here only: nothing of this table leaves."
      aside={
        <Button kind="quiet" onClick={onAnotherFile}>
          Choose another file
        </Button>
      }
    >
      <Facts
        facts={[
          ['file', file],
          ['rows', countText(rows)],
          ['used', countText(used)],
          ['left out', countText(dropped)],
        ]}
      />
      {dropped > 0 && (
        <p>
          Rows are left out for missing cells:{' '}
          {missing.map(([name, cells]) => `${name} ${countText(cells)}`).join(', ')}.
        </p>
      )}
      {clipped !== undefined && (
        <Notice
          kind="warn"
          title={`The response of ${countText(clipped)} rows lies far from the public centre and was clipped.`}
        >
          <p>The model will be biased: ask for a study that states its “center” and “sd”.</p>
        </Notice>
      )}
      <DataTable
        label="Columns as they were read"
        columns={[
          { name: 'column' },
          { name: 'shape' },
          { name: 'mean', numeric: true },
          { name: 'SD', numeric: true },
          { name: 'from', numeric: true },
          { name: 'to', numeric: true },
          { name: 'levels' },
          { name: 'missing', numeric: true },
        ]}
        rows={columns.map(cellsOf)}
        copyable
        stacks
      />
    </Card>
  );
}

function cellsOf(column: ColumnRead): Cell[] {
  const { name, unit, numbers, levels, missing } = column;
  const number = (value: number | undefined, digits: number): Cell =>
    value === undefined || !Number.isFinite(value)
      ? { value: null, shown: '' }
      : { value, shown: significant(value, digits) };
  const words = levels?.map(([level, cells]) => `${level} ${countText(cells)}`) ?? [];
  return [
    {
      value: name,
      shown: (
        <>
          <code>{name}</code>
          {unit !== undefined && <span class="soft"> in {unit}</span>}
        </>
      ),
    },
    { value: null, shown: <Picture column={column} /> },
    number(numbers?.mean, 4),
    number(numbers?.sd, 3),
    number(numbers?.min, 4),
    number(numbers?.max, 4),
    {
      value: words.join(', '),
      shown: words.length === 0 ? '' : <span class="join-levels">{shortened(words)}</span>,
    },
    { value: missing, shown: missing === 0 ? '' : countText(missing) },
  ];
}

const SHOWN_LEVELS = 12;

function shortened(words: readonly string[]): string {
  const rest = words.length - SHOWN_LEVELS;
  const shown = words.slice(0, SHOWN_LEVELS).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

function Picture({ column: { name, unit, numbers, levels } }: { readonly column: ColumnRead }) {
  if (levels !== undefined) {
    return (
      <LevelBars
        levels={levels.map(([level]) => level)}
        counts={levels.map(([, cells]) => cells)}
      />
    );
  }
  if (numbers?.histogram === undefined) return null;
  const { counts, range } = numbers.histogram;
  return <Histogram counts={counts} range={range} unit={unit} label={name} />;
}
