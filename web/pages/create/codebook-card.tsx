import { useState } from 'preact/hooks';
import type { Widened } from '../../../src/rows/draft-study.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { type ColumnPlan, columnPlanOf, emptyPlan } from '../../worker/plan.ts';
import type { SampleColumn } from '../../worker/sample.ts';
import { ColumnRow } from './column-row.tsx';
import type { Planning } from './use-plan.ts';

const SITE = '.site';
const plainColumn = columnPlanOf({ type: 'number' });

/** The columns that every site needs, and how they are read. */
export function CodebookCard({
  planning,
  sample,
}: {
  readonly planning: Planning;
  readonly sample: readonly SampleColumn[];
}) {
  const { plan, change, checked, codebook } = planning;
  const drafted = plan.codebook === 'sample';
  const names = drafted ? Object.keys(codebook) : Object.keys(plan.columns);
  const widened = new Map(checked?.widened.map((one): [string, Widened] => [one.column, one]));
  const put = (name: string, column: ColumnPlan) =>
    change({ columns: { ...plan.columns, [name]: column } });
  const drop = (name: string) => {
    const { [name]: _, ...columns } = plan.columns;
    change({ columns });
  };
  return (
    <Card
      id="columns"
      title="Columns"
      about={
        drafted
          ? 'Drafted from the sample for the columns of your formula. Ranges are wider than in the sample, because other sites have other extremes. A file with other values is refused, so check units, ranges and levels.'
          : 'What a site needs to know to read its file. A number needs a range; a category needs its levels.'
      }
    >
      {names.length === 0 && (
        <p class="soft">
          {drafted
            ? 'Columns appear here when the formula names them.'
            : 'No columns yet. Choose a sample above, add columns here, or load a codebook below.'}
        </p>
      )}
      <ul class="column-list">
        {names
          .filter((name) => name !== SITE)
          .map((name) => {
            const own = plan.columns[name];
            const found = sample.find((column) => column.name === name);
            return (
              <ColumnRow
                key={name}
                name={name}
                column={own ?? (codebook[name] ? columnPlanOf(codebook[name]) : plainColumn)}
                widened={widened.get(name)}
                found={found}
                isPrivate={plan.privacy.kind !== emptyPlan.privacy.kind}
                problem={planning.problemOf(`columns.${name}`)}
                onChange={(column) => put(name, column)}
                undo={
                  own === undefined
                    ? undefined
                    : { text: drafted ? 'Back to the draft' : 'Remove', act: () => drop(name) }
                }
              />
            );
          })}
      </ul>
      {!drafted && <NewColumn taken={names} onAdd={(name) => put(name, plainColumn)} />}
      {checked?.problems
        .filter(({ field }) => field.startsWith('columns.') && !names.includes(field.slice(8)))
        .map(({ problem, remedy }) => (
          <p key={problem} class="problem small">
            {problem}: {remedy}
          </p>
        ))}
    </Card>
  );
}

function NewColumn({
  taken,
  onAdd,
}: {
  readonly taken: readonly string[];
  readonly onAdd: (name: string) => void;
}) {
  const [name, setName] = useState('');
  const trimmed = name.trim();
  const add = () => {
    onAdd(trimmed);
    setName('');
  };
  return (
    <form
      class="entry"
      onSubmit={(event) => {
        event.preventDefault();
        if (trimmed !== '' && !taken.includes(trimmed)) add();
      }}
    >
      <TextField
        label="Another column"
        hint="Its name in the header line of the files."
        value={name}
        problem={taken.includes(trimmed) ? 'It is described already.' : undefined}
        onInput={setName}
      />
      <Button submits>Add</Button>
    </form>
  );
}
