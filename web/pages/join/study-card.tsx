import type { Arrival } from '../../desk/arrival.ts';
import type { ColumnTold } from '../../desk/study-told.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Digest } from '../../ui/digest.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import { countText, timeText } from '../../ui/words.ts';

/** What is asked, of which columns, and who will see what. */
export function StudyCard({
  arrival,
  folded,
}: {
  readonly arrival: Arrival;
  /** Once a file is at hand, or was, the study only needs to be within reach. */
  readonly folded: boolean;
}) {
  if (folded) {
    return (
      <details class="join-fold">
        <summary>The study in words</summary>
        <StudyWords arrival={arrival} />
      </details>
    );
  }
  return <StudyWords arrival={arrival} />;
}

function StudyWords({ arrival }: { readonly arrival: Arrival }) {
  const { study, deadline, sites, quorum } = arrival;
  const done = sites.filter(({ state }) => state === 'contributed').length;
  return (
    <Card title="What is asked">
      <p class="formula join-formula">{study.formula}</p>
      <Facts
        facts={[
          ['by', study.method],
          ['you are', arrival.site],
          [
            'sites',
            `${done} of ${countText(sites.length)} have contributed, ${countText(quorum)} must`,
          ],
          ['until', deadline === undefined ? 'no deadline' : timeText(deadline)],
        ]}
      />
      <div class="stack">
        <h3>It needs these columns of your file</h3>
        <p class="soft">
          Hold this beside your file. Other columns may be there; they are not read.
        </p>
        <DataTable
          label="Columns of the study"
          columns={[
            { name: 'column' },
            { name: 'its part' },
            { name: 'holds' },
            { name: 'allowed' },
            { name: 'missing cells' },
          ]}
          rows={study.columns.map((column) => [
            { value: column.name, shown: <code>{column.name}</code> },
            { value: column.role },
            { value: holds(column) },
            { value: allowed(column), shown: <Allowed column={column} /> },
            { value: column.missing.join(' or '), shown: <Markers texts={column.missing} /> },
          ])}
          copyable
          stacks
        />
      </div>
      <div class="columns">
        <div class="stack">
          <h3>Who sees what</h3>
          <p>{study.sight}</p>
        </div>
        <div class="stack">
          <h3>{study.promise === undefined ? 'Which rules hold' : 'What is promised'}</h3>
          {study.promise !== undefined && <p>{study.promise.words}</p>}
          {study.promise?.forecast.map((words) => (
            <p key={words} class="soft">
              {sentence(words)}
            </p>
          ))}
          {study.rules.map((words) => (
            <p key={words}>{words}</p>
          ))}
          {study.unruled && (
            <Notice kind="warn" title="No rule protects your rows in this study." />
          )}
        </div>
      </div>
      <details>
        <summary>Other sites, and the identity of the study</summary>
        <div class="stack">
          <ul class="join-sites">
            {sites.map(({ name, state }) => (
              <li key={name}>
                {name}: {state}
              </li>
            ))}
          </ul>
          <Digest text={study.digest} />
        </div>
      </details>
    </Card>
  );
}

function holds({ type, unit, decimal }: ColumnTold): string {
  if (type !== 'number') return type === 'one of' ? 'one of a few words' : 'any text';
  const mark = decimal === ',' ? ', decimal comma' : '';
  return `number${unit === undefined ? '' : ` in ${unit}`}${mark}`;
}

function allowed({ range, levels }: ColumnTold): string {
  if (levels !== undefined) return levels.join(', ');
  return range === undefined ? 'anything' : `${range[0]} to ${range[1]}`;
}

function Allowed({ column }: { readonly column: ColumnTold }) {
  if (column.levels === undefined) return <span class="number">{allowed(column)}</span>;
  return <Markers texts={column.levels} />;
}

function Markers({ texts }: { readonly texts: readonly string[] }) {
  return (
    <span class="join-markers">
      {texts.map((text) => (text === '' ? <em key="">empty</em> : <code key={text}>{text}</code>))}
    </span>
  );
}
