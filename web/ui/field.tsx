import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Named {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** The problem with the present value. */
  readonly problem?: string | undefined;
}

interface TextFieldProps extends Named {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'number' | 'password' | 'datetime-local' | 'date';
  /** For formulas and secrets. */
  readonly mono?: boolean;
  /** Number of lines; one unless given. */
  readonly lines?: number;
  readonly placeholder?: string;
  readonly step?: string;
  readonly inputMode?: 'text' | 'decimal' | 'numeric';
}

export function TextField({
  label,
  hint,
  problem,
  value,
  onInput,
  type = 'text',
  mono = false,
  lines,
  placeholder,
  step,
  inputMode,
}: TextFieldProps) {
  const id = useId();
  const shared = {
    id,
    value,
    placeholder,
    class: mono ? 'mono' : undefined,
    spellcheck: !mono,
    autocomplete: 'off' as const,
    'aria-invalid': problem !== undefined ? ('true' as const) : undefined,
    'aria-describedby': describedBy(id, hint, problem),
  };
  return (
    <Field id={id} label={label} hint={hint} problem={problem}>
      {lines === undefined ? (
        <input
          {...shared}
          type={type as 'text'}
          step={step}
          inputMode={inputMode}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      ) : (
        <textarea
          {...shared}
          rows={lines}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface SelectFieldProps<V extends string> extends Named {
  readonly value: V;
  readonly options: readonly (readonly [value: V, text: string])[];
  readonly onChange: (value: V) => void;
}

export function SelectField<V extends string>({
  label,
  hint,
  problem,
  value,
  options,
  onChange,
}: SelectFieldProps<V>) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint} problem={problem}>
      <select
        id={id}
        value={value}
        aria-describedby={describedBy(id, hint, problem)}
        onChange={(event) => onChange(event.currentTarget.value as V)}
      >
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** A checkbox with a sentence. */
export function CheckField({
  checked,
  onChange,
  children,
}: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ComponentChildren;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  );
}

function Field({
  id,
  label,
  hint,
  problem,
  children,
}: Named & { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function describedBy(
  id: string,
  hint: ComponentChildren,
  problem: string | undefined,
): string | undefined {
  const names = [
    problem === undefined ? '' : `${id}-problem`,
    hint === undefined ? '' : `${id}-hint`,
  ];
  return names.filter((name) => name !== '').join(' ') || undefined;
}
