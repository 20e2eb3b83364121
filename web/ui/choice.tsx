import { useId } from 'preact/hooks';

/** A few options side by side, one of them chosen. */
export function Choice<V extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: V;
  readonly options: readonly (readonly [value: V, text: string])[];
  readonly onChange: (value: V) => void;
}) {
  const name = useId();
  return (
    <div class="choice" role="radiogroup" aria-label={label}>
      {options.map(([key, text]) => (
        <label key={key}>
          <input
            type="radio"
            name={name}
            value={key}
            checked={key === value}
            onChange={() => onChange(key)}
          />
          {text}
        </label>
      ))}
    </div>
  );
}
