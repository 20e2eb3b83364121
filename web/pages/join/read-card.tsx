import { significant } from '../../../src/text/number-text.ts';
import { HistogramChart } from '../../charts/histogram.tsx';
import { LevelBars } from '../../charts/level-bars.tsx';
import { LossLine } from '../../charts/loss-line.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { SheetOfImages } from '../../ui/contact-sheet.tsx';
import { type DataCell, DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import { countText } from '../../ui/text.ts';
import type { TrainingView } from '../../worker/progress.ts';
import type { ColumnRead, FileView } from '../../worker/reading-view.ts';
import { epochsText } from './training-part.tsx';

/** The file as it was read; only the site sees this. */
export function ReadCard({
  reading,
  onAnotherFile,
}: {
  readonly reading: FileView;
  readonly onAnotherFile: () => void;
}) {
  const { file, rows, used, dropped, missing, clipped, adjusted, wording, columns } = reading;
  const { sheet, training } = reading;
  return (
    <Card
      title="What was read"
      about="Only you see this table. Nothing in it is sent."
      aside={
        <Button kind="quiet" onClick={onAnotherFile}>
          Choose another file
        </Button>
      }
    >
      <Facts
        facts={[
          ['file', file],
          [sheet === undefined ? 'rows' : 'images', countText(rows)],
          ['used', countText(used)],
          ['left out', countText(dropped)],
        ]}
      />
      {training !== undefined && <Trained training={training} />}
      {dropped > 0 && (
        <p>
          Rows with missing cells are left out.
          {missing.length > 0 &&
            ` Missing cells by column: ${missing.map(([name, cells]) => `${name} ${countText(cells)}`).join(', ')}.`}
        </p>
      )}
      {wording.length > 0 && (
        <Notice kind="info" title="The file was read as you said.">
          <ul>
            {wording.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Notice>
      )}
      {adjusted.length > 0 && (
        <Notice kind="warn" title="Some cells or rows do not fit the study.">
          <ul>
            {adjusted.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          <p>
            The study is private: the file is not refused for this, because others would see the
            refusal. Nobody else sees it. You may still decide not to send.
          </p>
        </Notice>
      )}
      {clipped !== undefined && (
        <Notice
          kind="warn"
          title={`The responses of ${countText(clipped)} rows are far from the public centre and were clipped.`}
        >
          <p>The model will be biased. Ask the analyst for a study with “center” and “sd”.</p>
        </Notice>
      )}
      {sheet !== undefined && <SheetOfImages sheet={sheet} />}
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

function cellsOf(column: ColumnRead): DataCell[] {
  const { name, unit, numbers, levels, missing } = column;
  const number = (value: number | undefined, digits: number): DataCell =>
    value === undefined || !Number.isFinite(value)
      ? { value: null, shown: '' }
      : { value, shown: significant(value, digits) };
  const texts = levels?.map(([level, cells]) => `${level} ${countText(cells)}`) ?? [];
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
      value: texts.join(', '),
      shown: texts.length === 0 ? '' : <span class="join-levels">{shortened(texts)}</span>,
    },
    { value: missing, shown: missing === 0 ? '' : countText(missing) },
  ];
}

const SHOWN_LEVELS = 12;

function shortened(texts: readonly string[]): string {
  const rest = texts.length - SHOWN_LEVELS;
  const shown = texts.slice(0, SHOWN_LEVELS).join(', ');
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
  return <HistogramChart counts={counts} range={range} unit={unit} label={name} />;
}

/** How the training of the site's network went. */
function Trained({ training: { from, epochs, losses } }: { readonly training: TrainingView }) {
  return (
    <div class="stack">
      <h3>The training of your network</h3>
      <p>
        {sentence(epochsText(epochs))}
        {from !== undefined &&
          ` It went on after ${epochsText(from)}, where an earlier training of these rows was stopped.`}
      </p>
      <LossLine losses={losses} epochs={epochs} />
    </div>
  );
}
