import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import type { SampleColumn } from '../../worker/sample.ts';
import { FormulaField } from './formula-field.tsx';
import { ImageFields } from './image-fields.tsx';
import type { Planning } from './use-plan.ts';

/** Name and formula of the study. */
export function QuestionCard({
  planning,
  columns,
}: {
  readonly planning: Planning;
  readonly columns: readonly SampleColumn[];
}) {
  const { plan, change, problemOf } = planning;
  return (
    <Card id="question" title="The question">
      <TextField
        label="Name"
        hint="Every site sees this name. Up to 100 characters."
        value={plan.name}
        problem={problemOf('name')}
        onInput={(name) => change({ name })}
      />
      {plan.images === undefined ? (
        <FormulaField planning={planning} columns={columns} />
      ) : (
        <ImageFields planning={planning} images={plan.images} />
      )}
    </Card>
  );
}
