import { useId, useRef } from 'preact/hooks';
import { listed } from '../../../src/text/number-text.ts';
import { sentence } from '../../ui/notice.tsx';
import { bytesText, countText } from '../../ui/text.ts';
import type { SampleColumn } from '../../worker/sample.ts';
import type { Planning } from './use-plan.ts';

/** An R formula, checked while it is typed. A click on a column below inserts it. */
export function FormulaField({
  planning,
  columns,
}: {
  readonly planning: Planning;
  readonly columns: readonly SampleColumn[];
}) {
  const { plan, change, checked } = planning;
  const id = useId();
  const input = useRef<HTMLTextAreaElement>(null);
  const insert = (name: string) => {
    const { current: field } = input;
    if (field === null) return;
    const at = document.activeElement === field ? field.selectionStart : plan.formula.length;
    const [before, after] = [plan.formula.slice(0, at), plan.formula.slice(at)];
    change({ formula: `${before}${joint(before)}${name}${after}` });
    field.focus();
  };
  const problem = checked?.problems.find(({ field }) => field === 'formula');
  const bad = problem !== undefined && problem.untouched !== true;
  return (
    <div class="field">
      <label for={id}>Formula</label>
      <textarea
        ref={input}
        id={id}
        class="mono"
        rows={2}
        spellcheck={false}
        autocomplete="off"
        placeholder="body_mass ~ bill_length + sex"
        value={plan.formula}
        aria-invalid={bad ? 'true' : undefined}
        aria-describedby={`${id}-outcome`}
        onInput={(event) => change({ formula: event.currentTarget.value })}
      />
      <div class="outcome" id={`${id}-outcome`} role="status">
        <Outcome planning={planning} />
      </div>
      {columns.length > 0 && (
        <fieldset class="chips">
          <legend>Columns of the sample: press one to insert it</legend>
          <div>
            {columns.map((column) => (
              <button
                key={column.name}
                type="button"
                class="chip"
                title={column.problem}
                onClick={() => insert(column.written)}
              >
                {column.name}
                <span>{kindText(column)}</span>
              </button>
            ))}
          </div>
        </fieldset>
      )}
    </div>
  );
}

function Outcome({ planning }: { readonly planning: Planning }) {
  const { checked, plan } = planning;
  const problem = checked?.problems.find(({ field }) => field === 'formula');
  if (plan.formula.trim() === '') {
    return (
      <p class="hint">
        As in R: the response, ~, and the terms. Factors, interactions, powers and logarithms work:
        log(y) ~ x * sex + I(x^2).
      </p>
    );
  }
  if (problem !== undefined && problem.untouched !== true) {
    return (
      <>
        <p class="problem">
          {sentence(problem.problem)} {sentence(problem.remedy)}
        </p>
        {problem.position !== undefined && (
          <Marked text={plan.formula} position={problem.position} />
        )}
      </>
    );
  }
  const review = checked?.review;
  if (review === undefined) {
    return (
      <p class="hint">The formula is valid. Its terms are shown when the rest is valid too.</p>
    );
  }
  const { regression, numbers, bytes } = review;
  if (regression === undefined) {
    return (
      <p class="hint">
        Each site sends {countText(numbers)} numbers once, {bytesText(bytes)}.
      </p>
    );
  }
  const { responses, terms, fedAvg } = regression;
  return (
    <>
      <p class="hint">
        Explains <strong>{listed(responses, MOST_RESPONSES)}</strong> by {countText(terms.length)}{' '}
        {terms.length === 1 ? 'term' : 'terms'}; each site sends {countText(numbers)} numbers once,{' '}
        {bytesText(bytes)}. FedAvg in 100 rounds would send {bytesText(fedAvg)}. Headers come on top
        of both.
      </p>
      <p class="terms mono">
        {terms.slice(0, MOST_TERMS).join(' · ')}
        {terms.length > MOST_TERMS ? ` and ${countText(terms.length - MOST_TERMS)} more` : ''}
      </p>
    </>
  );
}

const MOST_TERMS = 20;
const MOST_RESPONSES = 3;

/** The formula with the wrong part marked. */
function Marked({ text, position }: { readonly text: string; readonly position: number }) {
  const [wrong = ' '] = /^(?:`[^`]*`|[\p{L}\p{N}._]+|.)/su.exec(text.slice(position)) ?? [];
  return (
    <code class="marked">
      {text.slice(0, position)}
      <mark>{wrong}</mark>
      {text.slice(position + wrong.length)}
    </code>
  );
}

/** The text between the formula so far and another column. */
function joint(before: string): string {
  const trimmed = before.trimEnd();
  if (trimmed === '') return '';
  const space = before === trimmed ? ' ' : '';
  if (/[~+*/:^(,-]$/.test(trimmed)) return trimmed.endsWith('(') ? '' : space;
  return before.includes('~') ? `${space}+ ` : `${space}~ `;
}

function kindText({ column, problem }: SampleColumn): string {
  if (column === undefined) return problem ?? 'unclear';
  if (column.type !== 'category') return column.type;
  return `${column.levels.length} levels`;
}
