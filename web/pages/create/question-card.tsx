import type { SampleColumn } from '../../desk/sample.ts';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormulaField } from './formula-field.tsx';
import type { Planning } from './use-plan.ts';

/** What is asked, and of which columns. */
export function QuestionCard({
  planning,
  columns,
}: {
  readonly planning: Planning;
  readonly columns: readonly SampleColumn[];
}) {
  const { plan, change, problemOf } = planning;
  return (
    <Card title="The question">
      <TextField
        label="Name"
        hint="What people call the study; every site reads it. Up to 100 characters."
        value={plan.name}
        problem={problemOf('name')}
        onInput={(name) => change({ name })}
      />
      <FormulaField planning={planning} columns={columns} />
    </Card>
  );
}
