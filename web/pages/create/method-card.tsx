import { Card } from '../../ui/card.tsx';
import { SelectField } from '../../ui/field.tsx';
import { methodKind, offeredKinds } from '../../worker/method-kinds.ts';
import type { MethodPlan } from '../../worker/plan.ts';
import { checkInputs, fieldInputs } from './method-inputs.tsx';
import type { Planning } from './use-plan.ts';

/** The method of the study. */
export function MethodCard({
  planning,
  columns,
}: {
  readonly planning: Planning;
  readonly columns: readonly string[];
}) {
  const { plan, change, problemOf } = planning;
  const { method, weights } = plan;
  const kind = methodKind(method);
  const set = (part: Partial<MethodPlan>) => change({ method: { ...method, ...part } });
  const fields = kind.fields(method);
  const checks = fields.filter((field) => field in checkInputs);
  const given = { method, set, problemOf, images: plan.images };
  return (
    <Card id="method" title="Method" about={kind.about}>
      <div class="fields">
        <SelectField
          label="Model"
          value={kind.name}
          problem={problemOf('method')}
          options={offeredKinds(plan).map(({ name, label }): [string, string] => [name, label])}
          onChange={(name) => set({ kind: name })}
        />
        {fields.map((field) => {
          const Input = fieldInputs[field];
          return Input === undefined ? null : <Input key={field} {...given} />;
        })}
        {(fields.includes('weights') || weights !== '') && (
          <SelectField
            label="Weights of rows"
            value={weights}
            problem={problemOf('weights')}
            options={[['', 'none'], ...columns.map((name): [string, string] => [name, name])]}
            onChange={(name) => change({ weights: name })}
          />
        )}
      </div>
      {checks.length > 0 && (
        <div class="stack">
          {checks.map((field) => {
            const Input = checkInputs[field]!;
            return <Input key={field} {...given} />;
          })}
        </div>
      )}
    </Card>
  );
}
