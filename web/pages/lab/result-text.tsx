import type {
  ExperimentResult,
  PaperStatement,
  ResultTable,
  StatementVerdict,
} from '../../../experiments/paper-result.ts';
import { measuredText } from '../../../experiments/text/value-text.ts';
import { DataTable } from '../../ui/data-table.tsx';

/** The paper's statements with their readings, and our claims, with the numbers behind them. */
export function Conclusions({
  result,
  asPaper,
}: {
  readonly result: ExperimentResult;
  /** Whether the settings are the paper's. With other settings, a failed statement does not refute the paper. */
  readonly asPaper: boolean;
}) {
  const foreign = !asPaper && result.conclusions.some(({ of }) => of === 'paper');
  return (
    <div class="stack">
      {foreign && (
        <p class="small soft">
          The paper makes its statements for its own settings. This list shows which of them hold
          with yours.
        </p>
      )}
      <ul class="lab-conclusions">
        {result.conclusions.map((one) =>
          one.of === 'paper' ? (
            <Statement key={one.where + one.claim} statement={one} />
          ) : (
            <li key={one.claim} class={one.holds ? 'yes' : 'no'}>
              <span aria-hidden="true">{one.holds ? '✓' : '✗'}</span>
              <p>
                <Spoken holds={one.holds} />
                {ended(one.claim)} <span class="soft">{ended(begun(one.because))}</span>
              </p>
            </li>
          ),
        )}
      </ul>
    </div>
  );
}

const verdicts: Readonly<
  Record<StatementVerdict, { readonly style: string; readonly sign: string; readonly text: string }>
> = {
  holds: { style: 'yes', sign: '✓', text: 'Holds here' },
  depends: { style: 'open', sign: '◐', text: 'Depends on what the paper leaves open' },
  fails: { style: 'no', sign: '✗', text: 'Does not hold under any reading tried here' },
};

function Statement({ statement }: { readonly statement: PaperStatement }) {
  const { where, claim, verdict, readings, because } = statement;
  const { style, sign, text } = verdicts[verdict];
  return (
    <li class={style}>
      <span aria-hidden="true">{sign}</span>
      <div>
        <p>
          <strong>{text}.</strong> “{claim}” ({where})
        </p>
        <ul class="lab-readings small">
          {readings.map((reading) => (
            <li key={reading.as}>
              <span aria-hidden="true">{reading.holds ? '✓ ' : '✗ '}</span>
              <Spoken holds={reading.holds} />
              {begun(reading.as)}: {ended(reading.because)}
            </li>
          ))}
        </ul>
        <p class="small soft">{ended(because)}</p>
      </div>
    </li>
  );
}

/** The sign in words, for screen readers. */
function Spoken({ holds }: { readonly holds: boolean }) {
  return <span class="seen-by-readers">{holds ? 'Holds here: ' : 'Does not hold here: '}</span>;
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
