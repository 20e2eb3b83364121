import { useId, useState } from 'preact/hooks';
import type { Widened } from '../../../src/rows/draft-study.ts';
import { listed } from '../../../src/text/number-text.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { type ColumnPlan, namesIn } from '../../worker/plan.ts';
import type { SampleColumn } from '../../worker/sample.ts';

interface ColumnRowProps {
  readonly name: string;
  readonly column: ColumnPlan;
  readonly widened: Widened | undefined;
  readonly found: SampleColumn | undefined;
  readonly isPrivate: boolean;
  readonly problem: string | undefined;
  readonly onChange: (column: ColumnPlan) => void;
  readonly undo: { readonly text: string; readonly act: () => void } | undefined;
}

/** How one column is read. */
export function ColumnRow({
  name,
  column,
  widened,
  found,
  isPrivate,
  problem,
  onChange,
  undo,
}: ColumnRowProps) {
  const id = useId();
  const set = (part: Partial<ColumnPlan>) => onChange({ ...column, ...part });
  const retype = (type: ColumnPlan['type']) => {
    const range = column.low === '' && column.high === '' ? found?.range : undefined;
    const levels = found?.levels ?? [];
    set({
      type,
      ...(type === 'number' && range !== undefined
        ? { low: String(range[0]), high: String(range[1]) }
        : {}),
      levels: type === 'category' && column.levels === '' ? levels.join('\n') : column.levels,
    });
  };
  return (
    <li>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid's row in every browser */}
      <div class="column-row" role="group" aria-labelledby={id}>
        <h3 id={id} class="mono">
          {name}
        </h3>
        <SelectField
          label="Type"
          value={column.type}
          options={[
            ['number', 'number'],
            ['category', 'category'],
            ['id', 'person identifier'],
          ]}
          onChange={retype}
        />
        {column.type === 'number' && <NumberFields column={column} set={set} />}
        {column.type === 'category' && <CategoryFields column={column} set={set} />}
        {undo !== undefined && (
          <Button kind="quiet" label={`${undo.text}: ${name}`} onClick={undo.act}>
            {undo.text}
          </Button>
        )}
        <div class="notes">
          {widened !== undefined && (
            <p class="small soft">
              Wider than in the sample, which goes from {widened.from[0]} to {widened.from[1]}.
            </p>
          )}
          {column.type === 'category' && sameLevels(column, found) && (
            <p class="small soft">
              These are the levels of the sample. Add levels that only other sites have.
            </p>
          )}
          {problem !== undefined && <p class="small problem">{problem}</p>}
          <details>
            <summary class="small">
              Missing cells{column.type === 'number' ? ', decimal mark' : ''}
              {isPrivate && column.type === 'number' ? ', public centre and SD' : ''}
            </summary>
            <div class="fields">
              <TextField
                label="Texts that mean missing"
                hint="Separated by commas."
                value={column.missing}
                onInput={(missing) => set({ missing })}
              />
              <CheckField
                checked={column.emptyIsMissing}
                onChange={(emptyIsMissing) => set({ emptyIsMissing })}
              >
                An empty cell is missing too
              </CheckField>
              {column.type === 'number' && (
                <SelectField
                  label="Decimal mark"
                  value={column.decimal}
                  options={[
                    ['.', 'point'],
                    [',', 'comma'],
                  ]}
                  onChange={(decimal) => set({ decimal })}
                />
              )}
              {isPrivate && column.type === 'number' && (
                <>
                  <TextField
                    label="Public centre"
                    inputMode="decimal"
                    value={column.center}
                    onInput={(center) => set({ center })}
                  />
                  <TextField
                    label="Public SD"
                    hint="Known without the data. It makes the noise smaller."
                    inputMode="decimal"
                    value={column.sd}
                    onInput={(sd) => set({ sd })}
                  />
                </>
              )}
            </div>
          </details>
        </div>
      </div>
    </li>
  );
}

function sameLevels({ levels }: ColumnPlan, found: SampleColumn | undefined): boolean {
  const seen = found?.levels ?? [];
  const planned = namesIn(levels);
  return (
    seen.length > 0 && planned.length === seen.length && planned.every((one) => seen.includes(one))
  );
}

interface FieldsProps {
  readonly column: ColumnPlan;
  readonly set: (part: Partial<ColumnPlan>) => void;
}

function NumberFields({ column, set }: FieldsProps) {
  return (
    <>
      <TextField label="Unit" value={column.unit} onInput={(unit) => set({ unit })} />
      <TextField
        label="From"
        inputMode="decimal"
        value={column.low}
        onInput={(low) => set({ low })}
      />
      <TextField
        label="To"
        inputMode="decimal"
        value={column.high}
        onInput={(high) => set({ high })}
      />
    </>
  );
}

/** From this number on, levels are one line until a person opens them. */
const MANY_LEVELS = 7;

function Levels({ column, set }: FieldsProps) {
  const levels = namesIn(column.levels);
  // A list that grows while one types does not close.
  const [isMany] = useState(levels.length >= MANY_LEVELS);
  const field = (
    <TextField
      label="Levels, one on each line"
      lines={Math.min(6, Math.max(2, levels.length))}
      value={column.levels}
      onInput={(text) => set({ levels: text })}
    />
  );
  if (!isMany) return <div class="levels">{field}</div>;
  return (
    <details class="levels">
      <summary>
        {levels.length} levels: {listed(levels, 3)}
      </summary>
      {field}
    </details>
  );
}

function CategoryFields({ column, set }: FieldsProps) {
  const levels = namesIn(column.levels);
  return (
    <>
      <Levels column={column} set={set} />
      <SelectField
        label="Baseline"
        value={column.baseline}
        options={[
          ['', levels[0] === undefined ? 'the first' : `${levels[0]} (the first)`],
          ...levels.slice(1).map((level): [string, string] => [level, level]),
        ]}
        onChange={(baseline) => set({ baseline })}
      />
    </>
  );
}
