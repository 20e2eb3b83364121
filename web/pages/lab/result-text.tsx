import type { ExperimentResult, ResultTable } from '../../../experiments/paper-result.ts';
import { measuredText } from '../../../experiments/text/value-text.ts';
import { DataTable } from '../../ui/data-table.tsx';

/** The claims of an experiment, whether they hold here, and the numbers behind them. */
export function Conclusions({
  result,
  asPaper,
}: {
  readonly result: ExperimentResult;
  /** Whether the settings are the paper's. With other settings, a failed claim does not refute the paper. */
  readonly asPaper: boolean;
}) {
  const foreign = !asPaper && result.conclusions.some(({ of }) => of === 'paper');
  return (
    <div class="stack">
      {foreign && (
        <p class="small soft">
          The paper makes its claims for its own settings. This list shows which claims hold with
          yours.
        </p>
      )}
      <ul class="lab-conclusions">
        {result.conclusions.map(({ of, where, claim, holds, because }) => (
          <li key={claim} class={holds ? 'yes' : 'no'}>
            <span aria-hidden="true">{holds ? '✓' : '✗'}</span>
            <p>
              <span class="seen-by-readers">{holds ? 'Holds here: ' : 'Does not hold here: '}</span>
              {of === 'paper' && (
                <strong>{where === undefined ? 'The paper' : `The paper, ${where}`}: </strong>
              )}
              {ended(claim)} <span class="soft">{ended(begun(because))}</span>
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** With a capital letter, unless it begins with a symbol such as m. */
function begun(text: string): string {
  return /^(a |[a-z]{2})/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** With a full stop. */
function ended(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** All numbers of the figures, a description of the experiment, and differences from the paper. */
export function Numbers({ result }: { readonly result: ExperimentResult }) {
  return (
    <details class="lab-numbers">
      <summary>The numbers</summary>
      <div class="stack">
        <p class="small soft">{result.about}</p>
        {result.tables.map((table) => (
          <NumbersTable key={table.id} table={table} />
        ))}
        {result.differences.length > 0 && (
          <>
            <h3>Differences from the paper</h3>
            <ul class="small">
              {result.differences.map((difference) => (
                <li key={difference}>{difference}</li>
              ))}
            </ul>
          </>
        )}
      </div>
    </details>
  );
}

function NumbersTable({ table: { title, of, columns, rows } }: { readonly table: ResultTable }) {
  const printed = columns.map((_, k) => rows.some(({ cells }) => cells[k].printed !== undefined));
  return (
    <>
      <h3>{title}</h3>
      <DataTable
        label={title}
        columns={[
          { name: of },
          ...columns.flatMap(({ label }, k) => [
            { name: label, numeric: true },
            ...(printed[k] ? [{ name: `${label}, printed`, numeric: true }] : []),
          ]),
        ]}
        rows={rows.map(({ label, cells }) => [
          { value: label },
          ...cells.flatMap((cell, k) => [
            {
              value: cell.measured?.mean ?? cell.text ?? '',
              shown: measuredText(cell, columns[k].form),
            },
            ...(printed[k] ? [{ value: cell.printed ?? '' }] : []),
          ]),
        ])}
        copyable
      />
    </>
  );
}
