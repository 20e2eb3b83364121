import type { Arrival } from '../../desk/arrival.ts';
import type { ColumnTold } from '../../desk/study-told.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Digest } from '../../ui/digest.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import { countText, timeText } from '../../ui/words.ts';
import { OfficerAnswers } from './officer-answers.tsx';

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
      <div class="stack join-asked">
        <p>{study.formula === undefined ? sentence(study.method) : questionOf(study.columns)}</p>
        {study.formula !== undefined && <p class="formula join-formula">{study.formula}</p>}
      </div>
      <Facts
        facts={[
          ['method', study.method],
          ['your site', arrival.site],
          ['sites', `${done} of ${countText(sites.length)} in, ${countText(quorum)} needed`],
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
            { name: 'missing is written' },
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
      <OfficerAnswers arrival={arrival} />
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

const NAMED = 6;

/** The formula for who does not read formulas. */
function questionOf(columns: readonly ColumnTold[]): string {
  const named = (role: ColumnTold['role']) =>
    columns.filter((column) => column.role === role).map(({ name }) => name);
  const causes = named('explains');
  const rest = causes.length - NAMED;
  const shown = rest > 0 ? [...causes.slice(0, NAMED), `${rest} more`] : causes;
  const outcome = listed(named('explained'));
  return shown.length === 0
    ? `What is ${outcome} on average?`
    : `How does ${outcome} go with ${listed(shown)}?`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
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
