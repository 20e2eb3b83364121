import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { significant } from '../../../src/text/number-text.ts';
import type { HistogramChart } from '../../charts/histogram.tsx';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { countText } from '../../ui/text.ts';
import type { FileSummary } from '../../worker/file-prediction.ts';
import { ImagePredictions } from './image-predictions.tsx';
import { Shares } from './shares.tsx';

/** The predictions of a file: number of rows, distribution, first rows, and download. */
export function FilePredictions({
  summary,
  beside,
  onBeside,
  onDownload,
}: {
  readonly summary: FileSummary;
  readonly beside: 'nothing' | 'own columns';
  readonly onBeside: (beside: 'nothing' | 'own columns') => void;
  readonly onDownload: () => void;
}) {
  const { rows, missing, outside, columns, read, first, values, classes, isText, images } = summary;
  const isClass = classes.length > 0;
  return (
    <>
      <h3>
        {countText(rows)} {rows === 1 ? 'row' : 'rows'} predicted
      </h3>
      <Facts
        facts={[
          ['Rows', countText(rows)],
          [
            'Without a prediction',
            missing === 0 ? 'none' : `${countText(missing)}, because a cell is missing`,
          ],
          ...(isClass ? [] : values).flatMap(({ name, least, most, mean }) => [
            [`${name}, range`, `${significant(least, 4)} to ${significant(most, 4)}`] as const,
            [`${name}, mean`, significant(mean, 4)] as const,
          ]),
        ]}
      />
      {outside.rows > 0 && (
        <Notice
          kind="warn"
          title={`${countText(outside.rows)} ${outside.rows === 1 ? 'row has a number' : 'rows have numbers'} outside the study’s ranges.`}
        >
          <p>The model was not fitted there: {outside.columns.join(', ')}.</p>
        </Notice>
      )}
      {isClass
        ? classes.map(({ name, counts }) => (
            <Shares
              key={name}
              shares={counts.map(({ level, count }) => ({
                level: `${level}, ${countText(count)} rows`,
                share: rows === missing ? 0 : count / (rows - missing),
              }))}
            />
          ))
        : values.map((one) => <Spread key={one.name} {...one} />)}
      {images !== undefined && <ImagePredictions images={images} />}
      {first.length > 0 && (
        <DataTable
          label="The first rows"
          columns={[
            { name: 'Row', numeric: true },
            ...columns.map((name, k) => ({ name, numeric: k >= read })),
          ]}
          rows={first.map((cells, r) => [{ value: r + 1 }, ...cells.map((value) => ({ value }))])}
        />
      )}
      <div class="row">
        <Button kind="primary" onClick={onDownload}>
          Download as CSV
        </Button>
        {isText && (
          <Choice
            label="Columns of the file"
            value={beside}
            options={[
              ['nothing', 'Only predictions'],
              ['own columns', 'With the file’s own columns'],
            ]}
            onChange={onBeside}
          />
        )}
      </div>
      <p class="small soft">
        One line for each row, in the order of the file; NA if a cell is missing.
      </p>
    </>
  );
}

function Spread({ name, counts, edges }: FileSummary['values'][number]) {
  const [chart, setChart] = useState<{
    Chart: ComponentType<Parameters<typeof HistogramChart>[0]>;
  }>();
  useEffect(() => {
    import('../../charts/histogram.tsx').then(({ HistogramChart }) =>
      setChart({ Chart: HistogramChart }),
    );
  }, []);
  return (
    <div class="predict-spread">
      {chart !== undefined && (
        <chart.Chart
          label={`Distribution of ${name}`}
          counts={counts}
          range={[edges[0], edges[edges.length - 1]]}
        />
      )}
    </div>
  );
}
