import type { CheckedPlan } from '../../worker/plan-check.ts';
import type { PlanProblem } from '../../worker/plan-problems.ts';
import type { Planning } from './use-plan.ts';

/** A part of the form: its card, and the beginnings of its fields' names. */
interface Step {
  readonly id: string;
  readonly title: string;
  readonly fields: readonly string[];
}

const steps = [
  { id: 'question', title: 'The question', fields: ['name', 'formula', 'images'] },
  { id: 'columns', title: 'Columns', fields: ['columns'] },
  { id: 'method', title: 'Method', fields: ['method', 'weights'] },
  { id: 'protection', title: 'Protection', fields: ['privacy'] },
  {
    id: 'adding',
    title: 'Who adds the sums',
    fields: ['adding', 'address', 'helper', 'roster', 'minimumSites', 'groups'],
  },
  { id: 'sites', title: 'Sites and time', fields: ['sites', 'quorum', 'deadline', 'expires'] },
] as const satisfies readonly Step[];

/** A study of images has no columns to describe. */
function stepsOf({ images }: Planning['plan']): readonly Step[] {
  return images === undefined ? steps : steps.filter(({ id }) => id !== 'columns');
}

/** What is done and what is missing, by part of the form. A press leads there. */
export function Progress({ planning: { plan, checked } }: { readonly planning: Planning }) {
  const problems = checked?.problems ?? [];
  return (
    <nav class="create-progress" aria-label="Progress">
      <p class="small" role="status">
        {checked === undefined ? 'Checking…' : summary(problems)}
      </p>
      <ol>
        {stepsOf(plan).map((step) => {
          const state = stateOf(step, checked);
          return (
            <li key={step.id} class={state.kind}>
              <button type="button" onClick={() => goTo(step.id)}>
                <span aria-hidden="true">{marks[state.kind]}</span>
                <span>
                  {step.title}
                  <small>{state.text}</small>
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

type Kind = 'done' | 'open' | 'wrong';

const marks: Readonly<Record<Kind, string>> = { done: '✓', open: '○', wrong: '!' };

interface StepState {
  readonly kind: Kind;
  readonly text: string;
}

function stateOf({ id, fields }: Step, checked: CheckedPlan | undefined): StepState {
  const own = (checked?.problems ?? []).filter(({ field }) => fields.includes(partOf(field)));
  const wrong = own.filter(({ untouched }) => untouched !== true);
  if (wrong.length > 0) return { kind: 'wrong', text: `${wrong.length} to correct` };
  if (own.length > 0) return { kind: 'open', text: missingText(own) };
  const without = id === 'columns' && Object.keys(checked?.codebook ?? {}).length === 0;
  if (without || checked === undefined) return { kind: 'open', text: 'none yet' };
  return { kind: 'done', text: 'done' };
}

/** `columns` of `columns.age`. */
function partOf(field: string): string {
  return field.split('.')[0];
}

function missingText(open: readonly PlanProblem[]): string {
  return `${open.map(({ field }) => field).join(' and ')} missing`;
}

function summary(problems: readonly PlanProblem[]): string {
  const missing = problems.filter(({ untouched }) => untouched === true).length;
  const wrong = problems.length - missing;
  const parts = [
    ...(missing === 0 ? [] : [`${missing} still missing`]),
    ...(wrong === 0 ? [] : [`${wrong} to correct`]),
  ];
  return parts.length === 0
    ? 'Nothing is missing: review the study and create it.'
    : `${parts.join(', ')}.`;
}

function goTo(id: string): void {
  const card = document.getElementById(id);
  card?.scrollIntoView({ block: 'start' });
  card?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
}
